// digits IMAGE.pgm...: which digit each image of 28x28 pixels shows.
package main

/*
#cgo LDFLAGS: -lmnist -lm -lpthread
#include "libmnist.h"
*/
import "C"

import (
	"bytes"
	"errors"
	"fmt"
	"os"
)

// A context of the model, for one goroutine at a time.
type session struct{ context *C.onnxc_context }

func (s session) run(image *[784]float32) (scores [10]float32, err error) {
	// Go's memory is used where it is; the call keeps none of it.
	if C.mnist_run(s.context, (*C.float)(&image[0]), (*C.float)(&scores[0])) != C.ONNXC_OK {
		err = errors.New(C.GoString(C.onnxc_error(s.context)))
	}
	return
}

func (s session) read(path string) (digit int, err error) {
	file, err := os.ReadFile(path)
	if err != nil || !bytes.HasPrefix(file, []byte("P5")) || len(file) < 784 {
		return 0, fmt.Errorf("%s: not a PGM image of 28x28", path)
	}
	var image [784]float32
	for i, pixel := range file[len(file)-784:] {
		image[i] = (float32(pixel)/255 - 0.1307) / 0.3081
	}
	scores, err := s.run(&image)
	for i, score := range scores {
		if score > scores[digit] {
			digit = i
		}
	}
	return digit, err
}

func main() {
	var s session
	if status := C.mnist_create(nil, &s.context); status != C.ONNXC_OK {
		fmt.Fprintln(os.Stderr, C.GoString(C.onnxc_status_text(C.int(status))))
		os.Exit(1)
	}
	defer C.onnxc_destroy(s.context)
	for _, path := range os.Args[1:] {
		if digit, err := s.read(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
		} else {
			fmt.Printf("%s: %d\n", path, digit)
		}
	}
}
