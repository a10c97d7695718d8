# The exception tags of wasm's setjmp/longjmp and of C++: a linker finds them nowhere else.
	.tagtype	__c_longjmp i32
	.globl	__c_longjmp
__c_longjmp:

	.tagtype	__cpp_exception i32
	.globl	__cpp_exception
__cpp_exception:
