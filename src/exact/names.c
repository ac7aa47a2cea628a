/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "exact/names.h"

#include <stdio.h>
#include <string.h>

#define BETWEEN " ?|"

int names_next(char *name, size_t size, const char **list, const char *between)
{
    size_t length;
    *list += strspn(*list, between);
    length = strcspn(*list, between);
    snprintf(name, size, "%.*s", (int) length, *list);
    *list += length;
    return length > 0;
}

int names_has(const char *list, const char *name)
{
    char next[NAMES_SIZE];
    while (names_next(next, sizeof(next), &list, BETWEEN))
        if (strcmp(next, name) == 0)
            return 1;
    return 0;
}

#define MAX_NAME 40 /* size of a row of the table; longer names are like no other */

/* Insertions, deletions and changes of a character that lead from a to b; of names that are not longer than MAX_NAME. */
static size_t distance(const char *a, const char *b)
{
    size_t row[MAX_NAME + 1], i, j, length = strlen(b);
    for (j = 0; j <= length; j++)
        row[j] = j;
    for (i = 1; a[i - 1] != '\0'; i++)
    {
        size_t corner = row[0];
        row[0] = i;
        for (j = 1; j <= length; j++)
        {
            size_t changed = corner + (a[i - 1] != b[j - 1]), shorter = row[j] + 1, longer = row[j - 1] + 1;
            corner = row[j];
            row[j] = changed < shorter ? changed : shorter;
            row[j] = row[j] < longer ? row[j] : longer;
        }
    }
    return row[length];
}

int names_nearest(char nearest[NAMES_SIZE], const char *name, const char *list)
{
    static const char *const aliases[][2] = { { "eps", "eps0" }, { "epsilon", "eps" }, { "epsilon", "eps0" }, { "epsilon0", "eps0" }, { "n", "users" },
        { "sample-rate", "sampling-rate" }, { "sample_rate", "sampling_rate" } };
    char next[NAMES_SIZE];
    size_t i, least = 3, d;
    int found = 0;
    if (strlen(name) > MAX_NAME)
        return 0;
    for (i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
        if (strcmp(name, aliases[i][0]) == 0 && names_has(list, aliases[i][1]))
            return snprintf(nearest, NAMES_SIZE, "%s", aliases[i][1]) > 0;
    while (names_next(next, sizeof(next), &list, BETWEEN))
        if (strlen(next) <= MAX_NAME && (d = distance(name, next)) < least && 2 * d < strlen(name))
        {
            least = d;
            found = 1;
            memcpy(nearest, next, sizeof(next));
        }
    return found;
}
