/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "theorem/papers.h"

#include <string.h>

#define FELDMAN "Feldman, Vitaly and McMillan, Audra and Talwar, Kunal"
#define CHUA "Chua, Lynn and Ghazi, Badih and Kamath, Pritish and Kumar, Ravi and Manurangsi, Pasin and Sinha, Amer and Zhang, Chiyuan"
#define RENYI "R{\\'e}nyi"

static const shuf_paper papers[] = {
    { "acharya19", "inproceedings", "Acharya, Jayadev and Sun, Ziteng and Zhang, Huanyu",
      "Hadamard Response: Estimating Distributions Privately, Efficiently, and with Little Communication", "AISTATS", "2019", "1802.04705", NULL },
    { "balle18", "inproceedings", "Balle, Borja and Barthe, Gilles and Gaboardi, Marco", "Privacy Amplification by Subsampling: Tight Analyses via Couplings and Divergences", "NeurIPS",
      "2018", "1807.01647", NULL },
    { "balle19", "inproceedings", "Balle, Borja and Bell, James and Gasc{\\'o}n, Adri{\\`a} and Nissim, Kobbi",
      "The Privacy Blanket of the Shuffle Model", "CRYPTO", "2019", "1903.02837", NULL },
    { "bun16", "inproceedings", "Bun, Mark and Steinke, Thomas", "Concentrated Differential Privacy: Simplifications, Extensions, and Lower Bounds",
      "TCC", "2016", "1605.02065", NULL },
    { "canonne20", "inproceedings", "Canonne, Cl{\\'e}ment L. and Kamath, Gautam and Steinke, Thomas",
      "The Discrete Gaussian for Differential Privacy", "NeurIPS", "2020", "2004.00010", NULL },
    { "chen24", "inproceedings", "Chen, E and Cao, Yang and Ge, Yifei",
      RENYI " Differential Privacy in the Shuffle Model: Enhanced Amplification Bounds", "ICASSP", "2024", "2401.04306", NULL },
    { "cheu19", "inproceedings", "Cheu, Albert and Smith, Adam and Ullman, Jonathan and Zeber, David and Zhilyaev, Maxim",
      "Distributed Differential Privacy via Shuffling", "EUROCRYPT", "2019", "1808.01394", NULL },
    { "choquette23", "inproceedings", "Choquette-Choo, Christopher A. and McMahan, H. Brendan and Rush, Keith and Thakurta, Abhradeep",
      "Multi-Epoch Matrix Factorization Mechanisms for Private Machine Learning", "ICML", "2023", "2211.06530", NULL },
    { "choquette23banded", "inproceedings", "Choquette-Choo, Christopher A. and Ganesh, Arun and McKenna, Ryan and McMahan, H. Brendan and Rush, Keith and "
      "Thakurta, Abhradeep Guha and Xu, Zheng", "(Amplified) Banded Matrix Factorization: A Unified Approach to Private Training", "NeurIPS", "2023", "2306.08153", NULL },
    { "chua24", "inproceedings", CHUA, "How Private are {DP-SGD} Implementations?", "ICML", "2024", "2403.17673", NULL },
    { "chua24scalable", "inproceedings", CHUA, "Scalable {DP-SGD}: Shuffling vs. Poisson Subsampling", "NeurIPS", "2024", "2411.04205", NULL },
    { "chua25", "inproceedings", "Chua, Lynn and Ghazi, Badih and Harrison, Charlie and Kamath, Pritish and Kumar, Ravi and Leeman, Ethan Jacob "
      "and Manurangsi, Pasin and Sinha, Amer and Zhang, Chiyuan", "Balls-and-Bins Sampling for {DP-SGD}", "AISTATS", "2025", "2412.16802", NULL },
    { "denisov22", "inproceedings", "Denisov, Sergey and McMahan, H. Brendan and Rush, Keith and Smith, Adam and Thakurta, Abhradeep Guha",
      "Improved Differential Privacy for {SGD} via Optimal Private Linear Operators on Adaptive Streams", "NeurIPS", "2022", "2202.08312", NULL },
    { "dong22", "article", "Dong, Jinshuo and Roth, Aaron and Su, Weijie J.", "Gaussian Differential Privacy",
      "Journal of the Royal Statistical Society Series B", "2022", "1905.02383", NULL },
    { "doroshenko22", "article", "Doroshenko, Vadym and Ghazi, Badih and Kamath, Pritish and Kumar, Ravi and Manurangsi, Pasin",
      "Connect the Dots: Tighter Discrete Approximations of Privacy Loss Distributions", "Proceedings on Privacy Enhancing Technologies",
      "2022", "2207.04380", NULL },
    { "dwork06", "inproceedings", "Dwork, Cynthia and Kenthapadi, Krishnaram and McSherry, Frank and Mironov, Ilya and Naor, Moni",
      "Our Data, Ourselves: Privacy via Distributed Noise Generation", "EUROCRYPT", "2006", NULL, "Dwork, Kenthapadi, McSherry, Mironov, Naor" },
    { "erlingsson19", "inproceedings", "Erlingsson, {\\'U}lfar and Feldman, Vitaly and Mironov, Ilya and Raghunathan, Ananth and Talwar, Kunal and "
      "Thakurta, Abhradeep", "Amplification by Shuffling: From Local to Central Differential Privacy via Anonymity", "SODA", "2019", "1811.12469", NULL },
    { "feldman21", "inproceedings", FELDMAN, "Hiding Among the Clones: A Simple and Nearly Optimal Analysis of Privacy Amplification by Shuffling",
      "FOCS", "2021", "2012.12803", NULL },
    { "feldman23", "inproceedings", FELDMAN, "Stronger Privacy Amplification by Shuffling for " RENYI " and Approximate Differential Privacy", "SODA",
      "2023", "2208.04591", NULL },
    { "feldman25", "misc", "Feldman, Vitaly and Shenfeld, Moshe", "Privacy Amplification by Random Allocation", NULL, "2025", "2502.08202", NULL },
    { "ganesh25", "misc", "Ganesh, Arun and McKenna, Ryan and McMahan, H. Brendan and Smith, Adam and Wu, Fan",
      "Tighter Privacy Analysis for Truncated Poisson Sampling", NULL, "2025", "2508.15089", NULL },
    { "geng16", "article", "Geng, Quan and Viswanath, Pramod", "The Optimal Noise-Adding Mechanism in Differential Privacy",
      "IEEE Transactions on Information Theory", "2016", "1212.1186", NULL },
    { "girgis21", "inproceedings", "Girgis, Antonious M. and Data, Deepesh and Diggavi, Suhas and Suresh, Ananda Theertha and Kairouz, Peter",
      "On the " RENYI " Differential Privacy of the Shuffle Model", "CCS", "2021", "2105.05180", NULL },
    { "kairouz15", "inproceedings", "Kairouz, Peter and Oh, Sewoong and Viswanath, Pramod", "The Composition Theorem for Differential Privacy",
      "ICML", "2015", "1311.0776", NULL },
    { "kalinin24", "inproceedings", "Kalinin, Nikita P. and Lampert, Christoph", "Banded Square Root Matrix Factorization for Differentially Private Model Training",
      "NeurIPS", "2024", "2405.13763", NULL },
    { "koskela23", "article", "Koskela, Antti and Heikkil{\\\"a}, Mikko A. and Honkela, Antti",
      "Numerical Accounting in the Shuffle Model of Differential Privacy", "Transactions on Machine Learning Research", "2023", NULL,
      "Koskela, Heikkila, Honkela, Numerical Accounting" },
    { "mironov17", "inproceedings", "Mironov, Ilya", RENYI " Differential Privacy", "CSF", "2017", "1702.07476", NULL },
    { "mironov19", "misc", "Mironov, Ilya and Talwar, Kunal and Zhang, Li", RENYI " Differential Privacy of the Sampled Gaussian Mechanism", NULL,
      "2019", "1908.10530", NULL },
    { "papernot22", "inproceedings", "Papernot, Nicolas and Steinke, Thomas", "Hyperparameter Tuning with " RENYI " Differential Privacy", "ICLR", "2022", "2110.03620", NULL },
    { "sason16", "article", "Sason, Igal and Verd{\\'u}, Sergio", "f-Divergence Inequalities", "IEEE Transactions on Information Theory", "2016", "1508.00335", NULL },
    { "su25", "misc", "Su, Pengcheng and Cheng, Haibo and Wang, Ping",
      "Decomposition-Based Optimal Bounds for Privacy Amplification via Shuffling", NULL, "2025", "2504.07414", "Su, Cheng, Wang, Decomposition" },
    { "wang19", "inproceedings", "Wang, Yu-Xiang and Balle, Borja and Kasiviswanathan, Shiva Prasad",
      "Subsampled " RENYI " Differential Privacy and Analytical Moments Accountant", "AISTATS", "2019", "1808.00087", NULL },
    { "wang24", "article", "Wang, Shaowei and Peng, Yun and Li, Jin and Wen, Zikai and Li, Zhipeng and Yu, Shiyu and Wang, Di and Yang, Wei",
      "Privacy Amplification via Shuffling: Unified, Simplified, and Tightened", "Proceedings of the VLDB Endowment", "2024", "2304.05007",
      "Privacy Amplification via Shuffling: Unified" },
    { "zhu19", "inproceedings", "Zhu, Yuqing and Wang, Yu-Xiang", "Poission Subsampled " RENYI " Differential Privacy" /* as printed */, "ICML", "2019", NULL,
      "Zhu, Wang, Poisson" },
    { "zhu22", "inproceedings", "Zhu, Yuqing and Dong, Jinshuo and Wang, Yu-Xiang",
      "Optimal Accounting of Differential Privacy via Characteristic Function", "AISTATS", "2022", "2106.08567", NULL }
};

const shuf_paper *shuf_papers(size_t *count)
{
    *count = sizeof(papers) / sizeof(papers[0]);
    return papers;
}

int shuf_paper_is_source(const shuf_paper *p, const shuf_theorem *t)
{
    return strstr(t->source, p->mark != NULL ? p->mark : p->arxiv) != NULL;
}
