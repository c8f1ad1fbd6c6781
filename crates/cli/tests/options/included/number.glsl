#define NUMBER 2.0
