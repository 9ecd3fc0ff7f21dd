### The state of a calibrated parameter.

parameter-on-bound = on a bound
parameter-identified = identified
parameter-not-identified = not identified
