// Compensated sums: the error of adding n terms stays near one rounding of the result's largest
// partial sum, whatever n is. A. Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation
// endlicher Summen", ZAMM 54 (1974) 39-51.
#ifndef SN_GEOMETRY_SUM_H
#define SN_GEOMETRY_SUM_H

#include <math.h>

typedef struct sn_sum {
    double total;
    double lost; // what rounding took from the total
} sn_sum;

static inline void sn_sum_add(sn_sum *sum, double term)
{
    double total = sum->total + term;
    if (fabs(sum->total) >= fabs(term)) {
        sum->lost += (sum->total - total) + term;
    } else {
        sum->lost += (term - total) + sum->total;
    }
    sum->total = total;
}

static inline double sn_sum_value(const sn_sum *sum)
{
    return sum->total + sum->lost;
}

#endif
