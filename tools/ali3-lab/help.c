/* SPDX-License-Identifier: MIT
 * ali3-lab: what --help and --list print. */
#include "lab_tool.h"

#include <string.h>

const char lab_help[] =
    "Usage: ali3-lab run FILE --method NAME --integrator NAME [OPTION]...\n"
    "       ali3-lab table NAME [OPTION]...\n"
    "       ali3-lab map FILE --method NAME --integrator NAME --grid AXIS [--grid AXIS] --csv FILE "
    "[OPTION]...\n"
    "       ali3-lab merge PART... --csv FILE\n"
    "       ali3-lab compare FILE [OPTION]...\n"
    "       ali3-lab reactions FILE --joint NAME [OPTION]...\n"
    "       ali3-lab --list\n"
    "Runs the formulations of multibody dynamics that the papers compare, each on the same model file.\n"
    "\n"
    "run: one run of one formulation.\n"
    "  --method NAME       formulation; --list shows all\n"
    "  --integrator NAME   fe, si, tr, nr, nrx, nrx3, ode45, ode23, ode113, step, substeps, stepx; --list "
    "says which go "
    "with which "
    "formulation\n"
    "  --coordinates NAME  natural, absolute or joint (default: the formulation's own, else natural)\n"
    "  --duration S        simulated seconds (default: simulation.duration of the file, else 10)\n"
    "  --dt S              step in seconds (default: 0.001)\n"
    "  --alpha A           penalty (default: 1e7)\n"
    "  --omega W           natural frequency of the stabilisation, 1/s (default: 10)\n"
    "  --xi X              its damping ratio (default: 1)\n"
    "  --reset S           impulses of hdca and hamiltonian start at 0 again after each S seconds\n"
    "  --tolerance E       iterations end when an increment is smaller (default: 1e-7)\n"
    "  --norm q|qp         increments are measured in q, or in q and momenta (default: q)\n"
    "  --iterations N      iterations of a step at most (default: 50)\n"
    "  --substeps N        inner steps of a step of product with substeps (default: 2)\n"
    "  --rtol R, --atol A  tolerances of ode45, ode23 and ode113 (default: 1e-6)\n"
    "  --set KEY=VALUE     put VALUE into the file at the path KEY, e.g. model.bodies.A.mass=3; may be "
    "given\n"
    "                      several times; map and compare take it, too\n"
    "  --output FILE       write signals as CSV; - for standard output\n"
    "  --signals GLOB,..   only the signals that match (default: all)\n"
    "  --every N           write every N-th step (default: 1); the first row is t = 0\n"
    "  --summary FILE      write the figures of the run as JSON; - for standard output\n"
    "\n"
    "table: computes a table of a paper anew, and compares: em, p1, p2-calls, p2-accuracy, p2-time,\n"
    "       p3-1, p3-2, p3-3, p4-oscillator, p5.\n"
    "  --runs N            runs with perturbed velocities of a cell that is chaotic (default: 100)\n"
    "  --all-runs          perturbed runs of every cell, for the record: minutes\n"
    "  --models FOLDER     where the models of the cases are (default: as installed)\n"
    "  --references FOLDER where the reference solutions are (default: as installed)\n"
    "  --json FILE         write the table as JSON; - for standard output\n"
    "\n"
    "map: the energy drift over a grid of parameters; takes the options of run beside its own.\n"
    "     p3-fig9, p3-fig10, p3-fig11, p3-fig12, p3-fig12-qp or p3-fig13 in place of FILE is a map of paper "
    "3.\n"
    "  --grid AXIS         NAME=FROM:TO:COUNT or NAME=FROM:TO:COUNT:log; NAME is alpha, omega, xi or dt; one "
    "or two\n"
    "  --csv FILE          a line for each point\n"
    "  --shard K/N         only points K, K + N, .. (K from 0); the lines are the same for any N\n"
    "  --resume            go on with FILE where it ends\n"
    "  --png FILE          a picture of the map, by gnuplot\n"
    "  --limit J           white dots in the picture: drift above it (default: 0.1)\n"
    "merge: puts the files of all shards together, in the order of the points; takes --grid for --png.\n"
    "\n"
    "compare: error over calls and over time, of all methods that take the model.\n"
    "  --reference FILE    CSV with the exact motion (default: a fine solution of its own)\n"
    "  --methods GLOB,..   NAME or NAME/INTEGRATOR (default: all but oracles)\n"
    "  --duration S        when errors are measured (default: simulation.duration of the file, else 10)\n"
    "  --budget S          of one run (default: 1)\n"
    "  --quiet             no line for each run\n"
    "  --csv FILE, --json FILE, --png FILE  all runs; a picture by gnuplot\n"
    "\n"
    "reactions: the reaction of a joint over time by all formulations, beside the exact one.\n"
    "  --joint NAME        joint of the model\n"
    "  --component NAME    force.x, force.y, force.z, torque.x, torque.y or torque.z (default: force.y)\n"
    "  --reference FILE    CSV with the exact reaction (default: a fine solution of its own)\n"
    "  --csv FILE, --png FILE  a line for each step; a picture by gnuplot\n"
    "  and --dt, --duration, --methods, --set\n"
    "\n"
    "  --list, --help, --version\n"
    "\n"
    "Exit status: 0 the run went to its end, every cell of the table that is demanded holds; 1 the run "
    "failed or was\n"
    "interrupted (finished parts are written), a demanded cell does not hold; 2 wrong usage, a mistake "
    "in a file, or a\n"
    "model that the formulation has no coordinates for.\n";

void print_methods(void)
{
  printf("%-22s %-9s %-25s %s\n", "method", "in", "integrators", "what it is");
  /* Formulations, with the integrators that each of them can use. */
  for (int i = 0; lab_formulations[i]; i++) {
    const struct formulation *f = lab_formulations[i];
    char with[60] = "";
    for (int k = 0; lab_integrators[k]; k++) {
      const struct integrator *g = lab_integrators[k];
      const bool fits = g->needs == NEEDS_NEWTON       ? f->newton != NULL
                        : g->needs == NEEDS_PRODUCT    ? f->product
                        : g->needs == NEEDS_SETTLING   ? f->newton && f->newton->settle
                        : g->needs == NEEDS_PURE_RATES ? f->pure && !(g->history && f->project)
                                                       : f->evaluate && !f->project;
      if (fits) snprintf(with + strlen(with), sizeof with - strlen(with), "%s%s", *with ? " " : "", g->name);
    }
    printf("%-22s %-9s %-25s %s; %s\n", f->name,
           f->only         ? f->only->name
           : f->needs_rows ? "natural"
                           : "any",
           with, f->title, f->source);
  }
  /* Integrators, then coordinates. */
  printf("\n");
  for (int k = 0; lab_integrators[k]; k++)
    printf("%-22s %s\n", lab_integrators[k]->name, lab_integrators[k]->title);
  printf("\n");
  for (int k = 0; lab_descriptions[k]; k++)
    printf("%-22s %s\n", lab_descriptions[k]->name, lab_descriptions[k]->title);
}
