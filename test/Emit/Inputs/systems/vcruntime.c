/* What Visual Studio links to every program, as objects: the probe of large
   stack frames, and a mark of programs with floating-point numbers. And the
   probe of MinGW. */
int _fltused = 1;
void __chkstk(void);
void __chkstk(void) {}
void ___chkstk_ms(void);
void ___chkstk_ms(void) {}
