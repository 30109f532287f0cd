#ifndef EXAMPLE_APP_H
#define EXAMPLE_APP_H

int read_digit(const unsigned char *pixels);

#endif
