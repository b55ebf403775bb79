// Constants of the elementary functions, written by tools/elementary-tables.py, which says how each
// is derived.
#ifndef SN_MATH_ELEMENTARY_TABLES_H
#define SN_MATH_ELEMENTARY_TABLES_H

#include <stdint.h>

// atan(x) = x + x z P(z), z = x^2, |x| <= 1/32: relative, error below 2^-70.6.
static const double SN_ATAN_POLYNOMIAL[5] = {
    -0x1.5555555555555p-2, 0x1.9999999997ea9p-3,  -0x1.2492490efd941p-3,
    0x1.c71b8bfc2f5fep-4,  -0x1.72677c4423257p-4,
};

// the same for |x| <= 3/16: relative, error below 2^-67.1.
static const double SN_ATAN_WIDE_POLYNOMIAL[9] = {
    -0x1.5555555555555p-2, 0x1.999999999972cp-3,  -0x1.2492492461d54p-3,
    0x1.c71c718c73138p-4,  -0x1.745d037fece65p-4, 0x1.3b0fc353b73f9p-4,
    -0x1.109a700216fabp-4, 0x1.d204d8c0cd24fp-5,  -0x1.28a82d32722ccp-5,
};

// exp(r) = 1 + r + r^2 P(r), |r| <= ln(2)/128: absolute, error below 2^-70.2.
static const double SN_EXP_POLYNOMIAL[5] = {
    0x1.0000000000000p-1, 0x1.55555555548eap-3,  0x1.5555555554e3bp-5,
    0x1.111123b58a887p-7, 0x1.6c16d51cc92b0p-10,
};

// expm1(x) = x + x^2/2 + x^3 P(x), |x| <= 1/4: relative, error below 2^-60.3.
static const double SN_EXPM1_POLYNOMIAL[9] = {
    0x1.5555555555554p-3,  0x1.555555555536ep-5,  0x1.1111111111d80p-7,
    0x1.6c16c16e08c99p-10, 0x1.a01a019768129p-13, 0x1.a019ec969ff72p-16,
    0x1.71de5cbf5f918p-19, 0x1.2841a3c54e3fdp-22, 0x1.ae3a33eb90d89p-26,
};

// log(1 + r) = r - r^2/2 + r^3 P(r), |r| <= 1/128: relative, error below 2^-73.1.
static const double SN_LOG_POLYNOMIAL[7] = {
    0x1.5555555555555p-2, -0x1.000000000003bp-2, 0x1.99999999a51c6p-3, -0x1.555555484b543p-3,
    0x1.24924538babe6p-3, -0x1.0005f8214dbe7p-3, 0x1.c7fd2368e078dp-4,
};

// cbrt(x) = P(x) on [1, 8]: relative, error below 2^-9.1.
static const double SN_CBRT_POLYNOMIAL[5] = {
    0x1.4130f4ca02938p-1, 0x1.cbec9713044f0p-2,   -0x1.570b5e8df0177p-4,
    0x1.39e5ae3af8f31p-7, -0x1.c4ceb062b0234p-12,
};

// pi/2 in four parts; the first three have 33 bits, so that their products with |n| < 2^20 are
// exact.
static const double SN_HALF_PI_PARTS[4] = {0x1.921fb54400000p+0, 0x1.0b4611a600000p-34,
                                           0x1.3198a2e000000p-69, 0x1.b839a252049c1p-104};

// pi/2 as an unevaluated sum of two doubles.
static const double SN_HALF_PI_HIGH = 0x1.921fb54442d18p+0;
static const double SN_HALF_PI_LOW = 0x1.1a62633145c07p-54;

// ln 2: a multiple of 2^-42, so that k * high is exact for every exponent k, and the rest.
static const double SN_LN2_HIGH = 0x1.62e42fefa3800p-1;
static const double SN_LN2_LOW = 0x1.ef35793c76730p-45;

// ln(2)/64: 35 bits, so that n * high is exact for |n| < 2^18, and the rest.
static const double SN_LN2_64_HIGH = 0x1.62e42fef80000p-7;
static const double SN_LN2_64_LOW = 0x1.1cf79abc9e3b4p-42;
static const double SN_64_LN2 = 0x1.71547652b82fep+6;

// 2/pi: two words of zeros, then its first 1216 bits, 32 in each word, most significant first.
static const uint32_t SN_TWO_OVER_PI[40] = {
    0,          0,          0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
    0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e,
    0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b,
    0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d,
    0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab};

// 2^(j/64) as an unevaluated sum of two doubles.
static const double SN_EXP_TABLE[64][2] = {
    {0x1.0000000000000p+0, 0x0.0p+0},
    {0x1.02c9a3e778061p+0, -0x1.19083535b085dp-56},
    {0x1.059b0d3158574p+0, 0x1.d73e2a475b465p-55},
    {0x1.0874518759bc8p+0, 0x1.186be4bb284ffp-57},
    {0x1.0b5586cf9890fp+0, 0x1.8a62e4adc610bp-54},
    {0x1.0e3ec32d3d1a2p+0, 0x1.03a1727c57b53p-59},
    {0x1.11301d0125b51p+0, -0x1.6c51039449b3ap-54},
    {0x1.1429aaea92de0p+0, -0x1.32fbf9af1369ep-54},
    {0x1.172b83c7d517bp+0, -0x1.19041b9d78a76p-55},
    {0x1.1a35beb6fcb75p+0, 0x1.e5b4c7b4968e4p-55},
    {0x1.1d4873168b9aap+0, 0x1.e016e00a2643cp-54},
    {0x1.2063b88628cd6p+0, 0x1.dc775814a8495p-55},
    {0x1.2387a6e756238p+0, 0x1.9b07eb6c70573p-54},
    {0x1.26b4565e27cddp+0, 0x1.2bd339940e9d9p-55},
    {0x1.29e9df51fdee1p+0, 0x1.612e8afad1255p-55},
    {0x1.2d285a6e4030bp+0, 0x1.0024754db41d5p-54},
    {0x1.306fe0a31b715p+0, 0x1.6f46ad23182e4p-55},
    {0x1.33c08b26416ffp+0, 0x1.32721843659a6p-54},
    {0x1.371a7373aa9cbp+0, -0x1.63aeabf42eae2p-54},
    {0x1.3a7db34e59ff7p+0, -0x1.5e436d661f5e3p-56},
    {0x1.3dea64c123422p+0, 0x1.ada0911f09ebcp-55},
    {0x1.4160a21f72e2ap+0, -0x1.ef3691c309278p-58},
    {0x1.44e086061892dp+0, 0x1.89b7a04ef80d0p-59},
    {0x1.486a2b5c13cd0p+0, 0x1.3c1a3b69062f0p-56},
    {0x1.4bfdad5362a27p+0, 0x1.d4397afec42e2p-56},
    {0x1.4f9b2769d2ca7p+0, -0x1.4b309d25957e3p-54},
    {0x1.5342b569d4f82p+0, -0x1.07abe1db13cadp-55},
    {0x1.56f4736b527dap+0, 0x1.9bb2c011d93adp-54},
    {0x1.5ab07dd485429p+0, 0x1.6324c054647adp-54},
    {0x1.5e76f15ad2148p+0, 0x1.ba6f93080e65ep-54},
    {0x1.6247eb03a5585p+0, -0x1.383c17e40b497p-54},
    {0x1.6623882552225p+0, -0x1.bb60987591c34p-54},
    {0x1.6a09e667f3bcdp+0, -0x1.bdd3413b26456p-54},
    {0x1.6dfb23c651a2fp+0, -0x1.bbe3a683c88abp-57},
    {0x1.71f75e8ec5f74p+0, -0x1.16e4786887a99p-55},
    {0x1.75feb564267c9p+0, -0x1.0245957316dd3p-54},
    {0x1.7a11473eb0187p+0, -0x1.41577ee04992fp-55},
    {0x1.7e2f336cf4e62p+0, 0x1.05d02ba15797ep-56},
    {0x1.82589994cce13p+0, -0x1.d4c1dd41532d8p-54},
    {0x1.868d99b4492edp+0, -0x1.fc6f89bd4f6bap-54},
    {0x1.8ace5422aa0dbp+0, 0x1.6e9f156864b27p-54},
    {0x1.8f1ae99157736p+0, 0x1.5cc13a2e3976cp-55},
    {0x1.93737b0cdc5e5p+0, -0x1.75fc781b57ebcp-57},
    {0x1.97d829fde4e50p+0, -0x1.d185b7c1b85d1p-54},
    {0x1.9c49182a3f090p+0, 0x1.c7c46b071f2bep-56},
    {0x1.a0c667b5de565p+0, -0x1.359495d1cd533p-54},
    {0x1.a5503b23e255dp+0, -0x1.d2f6edb8d41e1p-54},
    {0x1.a9e6b5579fdbfp+0, 0x1.0fac90ef7fd31p-54},
    {0x1.ae89f995ad3adp+0, 0x1.7a1cd345dcc81p-54},
    {0x1.b33a2b84f15fbp+0, -0x1.2805e3084d708p-57},
    {0x1.b7f76f2fb5e47p+0, -0x1.5584f7e54ac3bp-56},
    {0x1.bcc1e904bc1d2p+0, 0x1.23dd07a2d9e84p-55},
    {0x1.c199bdd85529cp+0, 0x1.11065895048ddp-55},
    {0x1.c67f12e57d14bp+0, 0x1.2884dff483cadp-54},
    {0x1.cb720dcef9069p+0, 0x1.503cbd1e949dbp-56},
    {0x1.d072d4a07897cp+0, -0x1.cbc3743797a9cp-54},
    {0x1.d5818dcfba487p+0, 0x1.2ed02d75b3707p-55},
    {0x1.da9e603db3285p+0, 0x1.c2300696db532p-54},
    {0x1.dfc97337b9b5fp+0, -0x1.1a5cd4f184b5cp-54},
    {0x1.e502ee78b3ff6p+0, 0x1.39e8980a9cc8fp-55},
    {0x1.ea4afa2a490dap+0, -0x1.e9c23179c2893p-54},
    {0x1.efa1bee615a27p+0, 0x1.dc7f486a4b6b0p-54},
    {0x1.f50765b6e4540p+0, 0x1.9d3e12dd8a18bp-54},
    {0x1.fa7c1819e90d8p+0, 0x1.74853f3a5931ep-55},
};

// atan(i/16) for i = 0 .. 16 as an unevaluated sum of two doubles.
static const double SN_ATAN_TABLE[17][2] = {
    {0x0.0p+0, 0x0.0p+0},
    {0x1.ff55bb72cfdeap-5, -0x1.c934d86d23f1dp-60},
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.7b97b4bce5b02p-3, 0x1.347b0b4f881cap-58},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
    {0x1.362773707ebccp-2, -0x1.963a544b672d8p-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.a64eec3cc23fdp-2, -0x1.24dec1b50b7ffp-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x1.0657e94db30d0p-1, -0x1.d5b495f6349e6p-56},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.345f01cce37bbp-1, 0x1.1021137c71102p-55},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
    {0x1.5d58987169b18p-1, 0x1.0028e4bc5e7cap-57},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.819d0b7158a4dp-1, -0x1.bf76229d3b917p-56},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

// The interval of [0.6875, 1.375) that shares its first seven bits with entry i, counted from
// 0.6875: c near the reciprocal of its middle in 24 bits (exactly 1 on both sides of 1), -log(c) as
// a multiple of 2^-42, and the rest.
static const double SN_LOG_TABLE[128][3] = {
    {0x1.734f0c0000000p+0, -0x1.7cc7f6f347000p-2, 0x1.7d01638033aeap-44},
    {0x1.7137860000000p+0, -0x1.76feea5d47000p-2, -0x1.69997c93f204ep-46},
    {0x1.6f26020000000p+0, -0x1.713e35386a000p-2, -0x1.76a0061938a98p-46},
    {0x1.6d1a620000000p+0, -0x1.6b85b3abfa000p-2, -0x1.fd1a40d332ff3p-45},
    {0x1.6b14900000000p+0, -0x1.65d556f4ce000p-2, -0x1.cd3f4a582f6f9p-53},
    {0x1.6914740000000p+0, -0x1.602d09a709000p-2, -0x1.ea08976e418afp-46},
    {0x1.6719f40000000p+0, -0x1.5a8caf83ee000p-2, 0x1.95dbb0a7f5b78p-48},
    {0x1.6524f80000000p+0, -0x1.54f430c7be000p-2, -0x1.a6d34c08ca452p-46},
    {0x1.63356c0000000p+0, -0x1.4f638013aa000p-2, 0x1.fcfcacb2de886p-44},
    {0x1.614b360000000p+0, -0x1.49da7dbfcc000p-2, -0x1.06992cdaaef3ap-44},
    {0x1.5f66440000000p+0, -0x1.4459202d3a000p-2, 0x1.812e892274dc8p-47},
    {0x1.5d867c0000000p+0, -0x1.3edf458417000p-2, 0x1.f0a9e297faafcp-44},
    {0x1.5babcc0000000p+0, -0x1.396ce231bc000p-2, 0x1.5d92c5673e352p-47},
    {0x1.59d6200000000p+0, -0x1.3401e3eaed000p-2, 0x1.1b8f355526e72p-44},
    {0x1.5805600000000p+0, -0x1.2e9e2b8e12000p-2, -0x1.42f0c128d1317p-45},
    {0x1.56397c0000000p+0, -0x1.2941b0b987000p-2, 0x1.21944b72f6c33p-44},
    {0x1.54725e0000000p+0, -0x1.23ec584dec000p-2, 0x1.6e8b4c8a5991dp-44},
    {0x1.52aff60000000p+0, -0x1.1e9e183c8a000p-2, 0x1.8479f53c15f98p-44},
    {0x1.50f22e0000000p+0, -0x1.1956d385bc000p-2, -0x1.7d24e3ad1a45cp-45},
    {0x1.4f38f60000000p+0, -0x1.14167e6767000p-2, -0x1.e09a3024d7322p-44},
    {0x1.4d843c0000000p+0, -0x1.0edd064378000p-2, -0x1.016a52d84528bp-47},
    {0x1.4bd3ee0000000p+0, -0x1.09aa57a26c000p-2, -0x1.b4efd61736304p-44},
    {0x1.4a27fa0000000p+0, -0x1.047e5e31e8000p-2, -0x1.d51000d0a1e6dp-45},
    {0x1.4880520000000p+0, -0x1.feb22276a0000p-3, -0x1.f31a7de006adbp-45},
    {0x1.46dce40000000p+0, -0x1.f474b5c4e0000p-3, 0x1.bd7ebf1cfa71bp-44},
    {0x1.453d9e0000000p+0, -0x1.ea4448d84a000p-3, -0x1.5e6b1e372f262p-44},
    {0x1.43a2740000000p+0, -0x1.e020d27236000p-3, 0x1.5be04ad6ece1fp-45},
    {0x1.420b520000000p+0, -0x1.d60a157104000p-3, 0x1.5e3b0efc4c134p-44},
    {0x1.40782e0000000p+0, -0x1.cc001295b4000p-3, 0x1.e8a5a5cc9ecfap-46},
    {0x1.3ee8f40000000p+0, -0x1.c20289a180000p-3, 0x1.93292e55ce120p-45},
    {0x1.3d5d9a0000000p+0, -0x1.b81178d382000p-3, -0x1.d85063c1da89ep-46},
    {0x1.3bd60e0000000p+0, -0x1.ae2ca9be72000p-3, -0x1.7995d2e588b3ep-44},
    {0x1.3a52440000000p+0, -0x1.a4540b3e6a000p-3, -0x1.5f7b5c8243af3p-44},
    {0x1.38d22e0000000p+0, -0x1.9a877e06ba000p-3, -0x1.43bcdbf159cafp-44},
    {0x1.3755be0000000p+0, -0x1.90c6e177cc000p-3, 0x1.a47277693cd71p-46},
    {0x1.35dce60000000p+0, -0x1.8712139d0e000p-3, -0x1.328dec2f9af9fp-44},
    {0x1.34679a0000000p+0, -0x1.7d68fe72f6000p-3, 0x1.532a417f5df39p-45},
    {0x1.32f5ce0000000p+0, -0x1.73cb8adcfe000p-3, 0x1.da53d8d1d318ap-44},
    {0x1.3187760000000p+0, -0x1.6a39a0a3be000p-3, 0x1.90ad56665b947p-44},
    {0x1.301c820000000p+0, -0x1.60b30b830a000p-3, 0x1.73d67499879a4p-44},
    {0x1.2eb4ea0000000p+0, -0x1.5737cbb818000p-3, -0x1.9b93b26b86e55p-44},
    {0x1.2d50a00000000p+0, -0x1.4dc7b817bc000p-3, -0x1.c75b60ae1d464p-47},
    {0x1.2bef980000000p+0, -0x1.4462b3bc9c000p-3, 0x1.89360a737fc77p-44},
    {0x1.2a91ca0000000p+0, -0x1.3b08bc0d80000p-3, 0x1.aec7d7275f517p-44},
    {0x1.2937260000000p+0, -0x1.31b996aba4000p-3, -0x1.f02c263a6137bp-44},
    {0x1.27dfa40000000p+0, -0x1.28753ef11a000p-3, -0x1.734fc359868aep-44},
    {0x1.268b380000000p+0, -0x1.1f3b93bf26000p-3, 0x1.6066e9b067a88p-46},
    {0x1.2539d80000000p+0, -0x1.160c80c4b2000p-3, -0x1.ec142a900b313p-45},
    {0x1.23eb7a0000000p+0, -0x1.0ce7f0c4cc000p-3, -0x1.3eb1bac2710cdp-46},
    {0x1.22a0120000000p+0, -0x1.03cdbf7d1e000p-3, -0x1.817f07169ba68p-44},
    {0x1.2157980000000p+0, -0x1.f57bc79900000p-4, -0x1.76a4c9ea8aff8p-46},
    {0x1.2012020000000p+0, -0x1.e3708b5304000p-4, -0x1.05bd3e6c69521p-45},
    {0x1.1ecf440000000p+0, -0x1.d1797ba218000p-4, -0x1.35f51b5f061b0p-44},
    {0x1.1d8f560000000p+0, -0x1.bf9680f9fc000p-4, -0x1.3f81b8d7724dep-45},
    {0x1.1c52300000000p+0, -0x1.adc78265b0000p-4, 0x1.579d209c2345ap-44},
    {0x1.1b17c60000000p+0, -0x1.9c0c2ba4d4000p-4, 0x1.ad1951e8b42b6p-44},
    {0x1.19e0120000000p+0, -0x1.8a647d391c000p-4, -0x1.c19482f9f6ccdp-44},
    {0x1.18ab080000000p+0, -0x1.78d01f23d8000p-4, -0x1.6711794b0e70cp-47},
    {0x1.1778a20000000p+0, -0x1.674f0ee364000p-4, -0x1.a65accca2708bp-44},
    {0x1.1648d60000000p+0, -0x1.55e10e20e0000p-4, -0x1.922500e0afb3bp-47},
    {0x1.151b9a0000000p+0, -0x1.4485dc8dbc000p-4, -0x1.fa67a68d15f4bp-44},
    {0x1.13f0e80000000p+0, -0x1.333d734184000p-4, 0x1.ff3b6ace50af5p-49},
    {0x1.12c8b80000000p+0, -0x1.2207ac8784000p-4, -0x1.472c4fc004aa9p-44},
    {0x1.11a3020000000p+0, -0x1.10e4612cb0000p-4, 0x1.7e109a845d805p-44},
    {0x1.107fbc0000000p+0, -0x1.ffa694dab8000p-5, -0x1.2fd08983860dfp-45},
    {0x1.0f5ee00000000p+0, -0x1.dda8b7c680000p-5, 0x1.1caac64d4aed9p-45},
    {0x1.0e40660000000p+0, -0x1.bbced3a690000p-5, 0x1.885088bdfb456p-46},
    {0x1.0d24460000000p+0, -0x1.9a188df740000p-5, 0x1.0ed8aceb405d4p-44},
    {0x1.0c0a780000000p+0, -0x1.7885892358000p-5, 0x1.0d92d084f92a2p-46},
    {0x1.0af2f80000000p+0, -0x1.5715df4040000p-5, 0x1.8e055df93ffbep-44},
    {0x1.09ddba0000000p+0, -0x1.35c8b2ca10000p-5, -0x1.820c4def45c63p-44},
    {0x1.08cabc0000000p+0, -0x1.149e568008000p-5, 0x1.3030c9a1c45fap-44},
    {0x1.07b9f20000000p+0, -0x1.e72bccc140000p-6, 0x1.93062499a534bp-45},
    {0x1.06ab5a0000000p+0, -0x1.a55f624c60000p-6, 0x1.dec419f2b5285p-45},
    {0x1.059eea0000000p+0, -0x1.63d615c690000p-6, -0x1.7ab2f895961afp-47},
    {0x1.04949c0000000p+0, -0x1.228f827ea0000p-6, -0x1.686df2803cc03p-45},
    {0x1.038c6c0000000p+0, -0x1.c3177b4c80000p-7, 0x1.44245fce37d0bp-44},
    {0x1.0286500000000p+0, -0x1.4192bb9680000p-7, -0x1.95f4755d3a613p-46},
    {0x1.0182440000000p+0, -0x1.8121bb4580000p-8, -0x1.a1bbb82e18d5cp-46},
    {0x1.0000000000000p+0, 0x0.0p+0, 0x0.0p+0},
    {0x1.0000000000000p+0, 0x0.0p+0, 0x0.0p+0},
    {0x1.fa11cc0000000p-1, 0x1.7dc41cf820000p-7, -0x1.e73425b7a5162p-44},
    {0x1.f6310c0000000p-1, 0x1.3cea1cb470000p-6, -0x1.6720232eab3ddp-44},
    {0x1.f25f640000000p-1, 0x1.b9fc0afb00000p-6, -0x1.b97bf0ae65efdp-44},
    {0x1.ee9c800000000p-1, 0x1.1b0d909240000p-5, -0x1.3381e9ae9df10p-44},
    {0x1.eae8080000000p-1, 0x1.58a5b57c90000p-5, -0x1.b23e395718b0ep-45},
    {0x1.e741ac0000000p-1, 0x1.95c8152c90000p-5, -0x1.b53fe98354b08p-45},
    {0x1.e3a9180000000p-1, 0x1.d276b22db0000p-5, 0x1.6b943c787885bp-46},
    {0x1.e01e000000000p-1, 0x1.0759935990000p-4, -0x1.b0ecfe4604432p-44},
    {0x1.dca01c0000000p-1, 0x1.253f7250a0000p-4, 0x1.48d2afbb55f09p-44},
    {0x1.d92f240000000p-1, 0x1.42edbc4a64000p-4, 0x1.da936e93eb698p-46},
    {0x1.d5cac80000000p-1, 0x1.60658ad374000p-4, 0x1.0c3b9dee9c50dp-44},
    {0x1.d272cc0000000p-1, 0x1.7da75777b0000p-4, 0x1.342b644351093p-44},
    {0x1.cf26e40000000p-1, 0x1.9ab4340204000p-4, -0x1.7b22425d97e46p-45},
    {0x1.cbe6d80000000p-1, 0x1.b78c8efb10000p-4, -0x1.213efbc133bd1p-44},
    {0x1.c8b2640000000p-1, 0x1.d4314c86cc000p-4, -0x1.8607f78832b8ep-45},
    {0x1.c5894c0000000p-1, 0x1.f0a315a118000p-4, -0x1.d2b4c8323fb04p-44},
    {0x1.c26b540000000p-1, 0x1.06714f3ca6000p-3, -0x1.a38539cde76e2p-45},
    {0x1.bf58400000000p-1, 0x1.1478534674000p-3, 0x1.62b450fd471fbp-46},
    {0x1.bc4fd80000000p-1, 0x1.2266e9f0a6000p-3, -0x1.3e97ab8d4ae20p-45},
    {0x1.b951e40000000p-1, 0x1.303d6b7e48000p-3, -0x1.080d75e1e2ea8p-52},
    {0x1.b65e300000000p-1, 0x1.3dfc22cecc000p-3, 0x1.9b76a61fd9540p-45},
    {0x1.b374840000000p-1, 0x1.4ba37269a6000p-3, -0x1.420f9b3ecb41dp-44},
    {0x1.b094b40000000p-1, 0x1.5933896982000p-3, 0x1.2eb88b6918e20p-48},
    {0x1.adbe880000000p-1, 0x1.66acd4072a000p-3, 0x1.aa1c5bfc6c770p-44},
    {0x1.aaf1d40000000p-1, 0x1.740f8a6404000p-3, -0x1.085aa99159a74p-44},
    {0x1.a82e640000000p-1, 0x1.815c0f4436000p-3, -0x1.fe901f211b195p-45},
    {0x1.a574100000000p-1, 0x1.8e92902886000p-3, 0x1.a8b74b13f58d5p-44},
    {0x1.a2c2a80000000p-1, 0x1.9bb36547e0000p-3, -0x1.1dc18a1c998d1p-45},
    {0x1.a01a000000000p-1, 0x1.a8bed7c882000p-3, 0x1.eb185cf770f25p-44},
    {0x1.9d79f00000000p-1, 0x1.b5b52128fc000p-3, -0x1.44e02ebc19bdbp-44},
    {0x1.9ae2500000000p-1, 0x1.c2967e98c2000p-3, -0x1.c4733df4a0e3fp-45},
    {0x1.9852f00000000p-1, 0x1.cf6359209c000p-3, 0x1.7b9639a216c06p-45},
    {0x1.95cbb00000000p-1, 0x1.dc1bcdcabe000p-3, 0x1.916e1a63196c6p-44},
    {0x1.934c680000000p-1, 0x1.e8c0250aa6000p-3, -0x1.6804b80e8e72ap-45},
    {0x1.90d4f00000000p-1, 0x1.f550ab24b8000p-3, -0x1.29fa3a052a454p-45},
    {0x1.8e65280000000p-1, 0x1.00e6c38ad5000p-2, 0x1.e188d52b24cadp-50},
    {0x1.8bfce80000000p-1, 0x1.071b860cd6000p-2, -0x1.bcb83a3e019fbp-44},
    {0x1.899c100000000p-1, 0x1.0d46b3d9ab000p-2, 0x1.d41a1f63b293bp-44},
    {0x1.87427c0000000p-1, 0x1.13686fa13b000p-2, -0x1.d3c4299d6a450p-44},
    {0x1.84f00c0000000p-1, 0x1.1980d34542000p-2, 0x1.b7dde7a364a5fp-45},
    {0x1.82a4a00000000p-1, 0x1.1f8ffa248a000p-2, 0x1.7956c040cc921p-45},
    {0x1.8060180000000p-1, 0x1.2596011df7000p-2, 0x1.8e7c4224ea3f8p-44},
    {0x1.7e22540000000p-1, 0x1.2b9306938a000p-2, -0x1.653eed67e3b35p-45},
    {0x1.7beb380000000p-1, 0x1.31871fa544000p-2, 0x1.97bcb9568002fp-46},
    {0x1.79baa80000000p-1, 0x1.377262bbfe000p-2, -0x1.e35aeac89d8b8p-44},
    {0x1.7790800000000p-1, 0x1.3d54fd5c1f000p-2, 0x1.c861cd9c795e3p-44},
    {0x1.756cac0000000p-1, 0x1.432ef2f84f000p-2, -0x1.fb037931707cfp-44},
};

#endif
