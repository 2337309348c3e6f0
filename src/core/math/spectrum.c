/* SPDX-License-Identifier: MIT
 * The algorithms of EISPACK: tred2, tql2, balanc, orthes and hqr. */
#include "math/spectrum.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ITERATIONS = 60 };

/* --- symmetric --- */

/* Makes v the vector of a reflection I - beta v v' that turns x (count) into alpha e_1. Returns beta; 0: x is that already. */
static double reflection_of(const double *x, int count, double *v, double *alpha)
{
  double square = 0.0;
  for (int i = 0; i < count; i++) {
    v[i] = x[i];
    if (i > 0) square += x[i] * x[i];
  }
  *alpha = x[0];
  if (square == 0.0) return 0.0;
  const double norm = sqrt(x[0] * x[0] + square);
  *alpha = x[0] > 0.0 ? -norm : norm;
  v[0] -= *alpha;
  return 2.0 / (v[0] * v[0] + square);
}

/* A := Q'A Q tridiagonal: diagonal d, off-diagonal e (after each element). X: row k has column k of Q. */
static void reduce_symmetric(double *A, int n, double *X, double *d, double *e)
{
  double *v = d; /* room until the diagonal is known */
  /* row k of X keeps the vector of reflection k, and its beta at k */
  for (int k = 0; k + 2 < n; k++) {
    const int first = k + 1, count = n - first;
    double *p = e + first, *keep = X + k * n + first;
    double alpha, along = 0.0, *own = v + first;
    for (int i = 0; i < count; i++) own[i] = A[k * n + first + i];
    const double beta = reflection_of(own, count, keep, &alpha);
    for (int i = 0; i < count; i++) { /* p = beta A v */
      const double *row = A + (first + i) * n + first;
      double sum = 0.0;
      for (int c = 0; c < count; c++) sum += row[c] * keep[c];
      p[i] = beta * sum;
      along += p[i] * keep[i];
    }
    for (int i = 0; i < count; i++) p[i] -= 0.5 * beta * along * keep[i];
    for (int i = 0; i < count; i++) { /* A -= v p' + p v' */
      double *row = A + (first + i) * n + first;
      for (int c = 0; c < count; c++) row[c] -= keep[i] * p[c] + p[i] * keep[c];
    }
    A[k * n + first] = alpha;
    X[k * n + k] = beta;
  }
  for (int k = 0; k < n; k++) {
    d[k] = A[k * n + k];
    e[k] = k + 1 < n ? A[k * n + k + 1] : 0.0;
  }
  /* A := Q, from the last reflection to the first; then its transpose */
  for (int i = 0; i < n * n; i++) A[i] = i % (n + 1) == 0;
  for (int k = n - 3; k >= 0; k--) {
    const double *keep = X + k * n, beta = keep[k];
    for (int c = k + 1; c < n && beta != 0.0; c++) {
      double sum = 0.0;
      for (int i = k + 1; i < n; i++) sum += keep[i] * A[c * n + i];
      for (int i = k + 1; i < n; i++) A[c * n + i] -= beta * sum * keep[i];
    }
  }
  memcpy(X, A, sizeof *X * (size_t)(n * n));
}

static void rotate_rows(double *X, int n, int i, double c, double s)
{
  double *a = X + i * n, *b = a + n;
  for (int k = 0; k < n; k++) {
    const double f = b[k];
    b[k] = s * a[k] + c * f;
    a[k] = c * a[k] - s * f;
  }
}

/* One implicit QL step on rows l to m. */
static void ql_step(double *d, double *e, int l, int m, double *X, int n)
{
  double g = (d[l + 1] - d[l]) / (2.0 * e[l]), r = sqrt(g * g + 1.0), s = 1.0, c = 1.0, p = 0.0;
  g = d[m] - d[l] + e[l] / (g + copysign(r, g));
  for (int i = m - 1; i >= l; i--) {
    double f = s * e[i];
    const double b = c * e[i];
    e[i + 1] = r = sqrt(f * f + g * g);
    if (r == 0.0) { /* the matrix splits here */
      d[i + 1] -= p;
      e[m] = 0.0;
      return;
    }
    s = f / r;
    c = g / r;
    g = d[i + 1] - p;
    r = (d[i] - g) * s + 2.0 * c * b;
    p = s * r;
    d[i + 1] = g + p;
    g = c * r - b;
    rotate_rows(X, n, i, c, s);
  }
  d[l] -= p;
  e[l] = g;
  e[m] = 0.0;
}

static void sort_rising(double *X, double *lambda, int n)
{
  for (int i = 0; i < n; i++) {
    int best = i;
    for (int k = i + 1; k < n; k++)
      if (lambda[k] < lambda[best]) best = k;
    if (best == i) continue;
    const double x = lambda[i];
    lambda[i] = lambda[best];
    lambda[best] = x;
    for (int k = 0; k < n; k++) {
      const double y = X[i * n + k];
      X[i * n + k] = X[best * n + k];
      X[best * n + k] = y;
    }
  }
}

bool spectrum_symmetric(double *A, int n, double *X, double *lambda, double *room)
{
  double *d = lambda, *e = room;
  memset(X, 0, sizeof *X * (size_t)(n * n));
  reduce_symmetric(A, n, X, d, e);
  double size =
      0.0; /* largest row so far: elements that are small beside it, or beside their own rows, are 0 */
  for (int l = 0; l < n; l++) {
    size = fmax(size, fabs(d[l]) + fabs(e[l]));
    for (int pass = 0;; pass++) {
      int m = l;
      while (m + 1 < n && fabs(e[m]) > DBL_EPSILON * fmax(size, fabs(d[m]) + fabs(d[m + 1]))) m++;
      if (m == l) break;
      if (pass == ITERATIONS) return false;
      ql_step(d, e, l, m, X, n);
    }
  }
  sort_rising(X, lambda, n);
  return true;
}

/* --- general --- */

/* Scales rows and columns by powers of two, so that their norms are alike. */
static void balance_matrix(double *A, int n)
{
  for (bool done = false; !done;) {
    done = true;
    for (int i = 0; i < n; i++) {
      double r = 0.0, c = 0.0, f = 1.0;
      for (int k = 0; k < n; k++) {
        if (k == i) continue;
        r += fabs(A[i * n + k]);
        c += fabs(A[k * n + i]);
      }
      if (c == 0.0 || r == 0.0) continue;
      /* powers of two keep all digits */
      const double s = c + r;
      for (; c < r / 2.0; c *= 4.0) f *= 2.0;
      for (; c >= r * 2.0; c /= 4.0) f /= 2.0;
      if ((c + r) / f >= 0.95 * s) continue;
      done = false;
      for (int k = 0; k < n; k++) A[i * n + k] /= f;
      for (int k = 0; k < n; k++) A[k * n + i] *= f;
    }
  }
}

/* A := Q'A Q with zeros below the first subdiagonal, by reflections. */
static void reduce_general(double *A, int n)
{
  for (int k = 0; k + 2 < n; k++) {
    double square = 0.0;
    for (int i = k + 2; i < n; i++) square += A[i * n + k] * A[i * n + k];
    if (square == 0.0) continue;
    const double x = A[(k + 1) * n + k], norm = sqrt(x * x + square), alpha = x > 0.0 ? -norm : norm;
    const double beta = 2.0 / ((x - alpha) * (x - alpha) + square);
    A[(k + 1) * n + k] = x - alpha; /* the column is the vector of the reflection */
    for (int c = k + 1; c < n; c++) {
      double sum = 0.0;
      for (int i = k + 1; i < n; i++) sum += A[i * n + k] * A[i * n + c];
      for (int i = k + 1; i < n; i++) A[i * n + c] -= beta * sum * A[i * n + k];
    }
    for (int r = 0; r < n; r++) {
      double sum = 0.0;
      for (int i = k + 1; i < n; i++) sum += A[i * n + k] * A[r * n + i];
      for (int i = k + 1; i < n; i++) A[r * n + i] -= beta * sum * A[i * n + k];
    }
    A[(k + 1) * n + k] = alpha;
    for (int i = k + 2; i < n; i++) A[i * n + k] = 0.0;
  }
}

/* Eigenvalues of the last two rows. */
static void pair_values(double x, double y, double w, double shift, double (*value)[2])
{
  const double p = 0.5 * (y - x), q = p * p + w, z = sqrt(fabs(q)), mean = x + shift;
  if (q >= 0.0) { /* real; the second one without cancellation */
    const double large = p + copysign(z, p);
    value[0][0] = value[1][0] = mean + large;
    if (large != 0.0) value[1][0] = mean - w / large;
    value[0][1] = value[1][1] = 0.0;
    return;
  }
  value[0][0] = value[1][0] = mean + p;
  value[0][1] = z;
  value[1][1] = -z;
}

/* Three numbers of the first column of the shifted square, from row m on. */
static int double_shift_start(const double *A, int n, int l, int last, double x, double y, double w,
                              double pqr[3])
{
  int m = last - 2;
  for (;; m--) {
    const double z = A[m * n + m], r = x - z, s = y - z;
    pqr[0] = (r * s - w) / A[(m + 1) * n + m] + A[m * n + m + 1];
    pqr[1] = A[(m + 1) * n + m + 1] - z - r - s;
    pqr[2] = A[(m + 2) * n + m + 1];
    const double scale = fabs(pqr[0]) + fabs(pqr[1]) + fabs(pqr[2]);
    for (int i = 0; i < 3; i++) pqr[i] /= scale;
    if (m == l) break;
    const double u = fabs(A[m * n + m - 1]) * (fabs(pqr[1]) + fabs(pqr[2]));
    const double v = fabs(pqr[0]) * (fabs(A[(m - 1) * n + m - 1]) + fabs(z) + fabs(A[(m + 1) * n + m + 1]));
    if (u <= DBL_EPSILON * v) break;
  }
  return m;
}

/* One QR step with two shifts on rows l to last, which begins in row m. */
static void qr_step(double *A, int n, int l, int m, int last, double pqr[3])
{
  double p = pqr[0], q = pqr[1], r = pqr[2];
  /* clear the elements of the step before */
  for (int i = m + 2; i <= last; i++) {
    A[i * n + i - 2] = 0.0;
    if (i > m + 2) A[i * n + i - 3] = 0.0;
  }
  for (int k = m; k < last; k++) {
    const bool three = k + 1 < last;
    double scale = 1.0;
    if (k > m) {
      p = A[k * n + k - 1];
      q = A[(k + 1) * n + k - 1];
      r = three ? A[(k + 2) * n + k - 1] : 0.0;
      scale = fabs(p) + fabs(q) + fabs(r);
      if (scale == 0.0) continue;
      p /= scale;
      q /= scale;
      r /= scale;
    }
    const double s = copysign(sqrt(p * p + q * q + r * r), p);
    if (s == 0.0) continue;
    if (k > m)
      A[k * n + k - 1] = -s * scale;
    else if (l != m)
      A[k * n + k - 1] = -A[k * n + k - 1];
    /* the reflection of rows k to k + 2, then of columns */
    p += s;
    const double x = p / s, y = q / s, z = r / s;
    q /= p;
    r /= p;
    for (int c = k; c <= last; c++) {
      const double sum = A[k * n + c] + q * A[(k + 1) * n + c] + (three ? r * A[(k + 2) * n + c] : 0.0);
      if (three) A[(k + 2) * n + c] -= sum * z;
      A[(k + 1) * n + c] -= sum * y;
      A[k * n + c] -= sum * x;
    }
    const int end = last < k + 3 ? last : k + 3;
    for (int i = l; i <= end; i++) {
      const double sum = x * A[i * n + k] + y * A[i * n + k + 1] + (three ? z * A[i * n + k + 2] : 0.0);
      if (three) A[i * n + k + 2] -= sum * r;
      A[i * n + k + 1] -= sum * q;
      A[i * n + k] -= sum;
    }
  }
}

bool spectrum_general(double *A, int n, double (*value)[2])
{
  double norm = 0.0, shift = 0.0;
  balance_matrix(A, n);
  reduce_general(A, n);
  for (int i = 0; i < n; i++)
    for (int c = i > 0 ? i - 1 : 0; c < n; c++) norm += fabs(A[i * n + c]);
  for (int last = n - 1, pass = 0; last >= 0;) {
    /* the last rows that hang together */
    int l = last;
    for (; l > 0; l--) {
      double size = fabs(A[(l - 1) * n + l - 1]) + fabs(A[l * n + l]);
      if (size == 0.0) size = norm;
      if (fabs(A[l * n + l - 1]) <= DBL_EPSILON * size) {
        A[l * n + l - 1] = 0.0;
        break;
      }
    }
    double x = A[last * n + last];
    if (l == last) { /* one value */
      value[last][0] = x + shift;
      value[last][1] = 0.0;
      last--;
      pass = 0;
      continue;
    }
    double y = A[(last - 1) * n + last - 1], w = A[last * n + last - 1] * A[(last - 1) * n + last];
    if (l == last - 1) { /* two values */
      pair_values(x, y, w, shift, value + last - 1);
      last -= 2;
      pass = 0;
      continue;
    }
    if (pass == ITERATIONS) return false;
    if (pass > 0 && pass % 10 == 0) { /* an exceptional shift */
      shift += x;
      for (int i = 0; i <= last; i++) A[i * n + i] -= x;
      const double s = fabs(A[last * n + last - 1]) + fabs(A[(last - 1) * n + last - 2]);
      x = y = 0.75 * s;
      w = -0.4375 * s * s;
    }
    pass++;
    double pqr[3];
    const int m = double_shift_start(A, n, l, last, x, y, w, pqr);
    qr_step(A, n, l, m, last, pqr);
  }
  return true;
}
