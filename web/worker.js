// SPDX-License-Identifier: LGPL-3.0-or-later
// Follows the program that emscripten writes, `shufbound`, in a worker: one call at a time, each in an instance of its own, so
// that an answer depends on nothing that was asked before.
"use strict";
let compiled = null; // a promise: calls may come before it is there

// The function of web.c with texts as its arguments; the text it returns.
async function call(name, texts) {
  const program = await compiled;
  const module = await shufbound({
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(program, imports).then((instance) => done(instance, program), (error) => postMessage({failure: String(error)}));
      return {};
    },
    print() {},
    printErr: (line) => postMessage({line}),
  });
  if (texts.some((text) => text.includes("\0"))) throw new Error("not JSON: a question has no NUL");
  // not on the stack, which a long text would exceed
  return module.ccall(name, "string", texts.map(() => "pointer"), texts.map(module.stringToNewUTF8));
}

onmessage = async ({data}) => {
  try {
    if (data.module) await (compiled = WebAssembly.compile(data.module));
    else postMessage({text: await call(data.name, data.texts)});
  } catch (error) {
    postMessage({failure: String(error && error.message || error)});
  }
};
