#!/usr/bin/env python3
"""Writes src/base/decimal_table.h: the powers of ten that src/base/decimal.c multiplies with.

    tools/decimal-table.py > src/base/decimal_table.h && clang-format -i src/base/decimal_table.h

For every k of the range g = ceil(10^k 2^-r) with r = floor(log2 10^k) - 127, so that 2^127 <= g < 2^128: exact for
0 <= k <= 55, otherwise too large by less than 1.
"""
LOWEST, HIGHEST = -292, 324

print("""// Powers of ten to 128 bits, written by tools/decimal-table.py, which says how.
#ifndef SN_BASE_DECIMAL_TABLE_H
#define SN_BASE_DECIMAL_TABLE_H

#include <stdint.h>
""")
print(f"enum {{ SN_POWER_LOWEST = {LOWEST}, SN_POWER_HIGHEST = {HIGHEST} }};")
print()
print("// {upper half, lower half} of g for 10^-292, 10^-291, ...")
print(f"static const uint64_t SN_POWERS[{HIGHEST - LOWEST + 1}][2] = {{")
for k in range(LOWEST, HIGHEST + 1):
    top, bottom = 10 ** max(k, 0), 10 ** max(-k, 0)
    # floor(log2(top / bottom)): the bit lengths give it or one more.
    log2 = top.bit_length() - bottom.bit_length()
    if top << max(-log2, 0) < bottom << max(log2, 0):
        log2 -= 1
    r = log2 - 127
    g = -(-(top << max(-r, 0)) // (bottom << max(r, 0)))
    assert 1 << 127 <= g < 1 << 128
    assert log2 == (k * 1741647) >> 19
    print(f"{{0x{g >> 64:016x}, 0x{g & (1 << 64) - 1:016x}}},")
print("};\n\n#endif")
