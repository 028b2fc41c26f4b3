package hopio_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/hoplint/hoplint/runtime/hop"
	"github.com/hoplint/hoplint/runtime/hopio"
)

func ExampleWriteNPY() {
	var file bytes.Buffer
	x := hop.FromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3)
	if err := hopio.WriteNPY(&file, x.T()); err != nil { // any strides
		fmt.Println(err)
		return
	}
	y, err := hopio.ReadNPY(&file)
	fmt.Println(y, err)
	// Output: [[1 4] [2 5] [3 6]] <nil>
}

func ExampleReadNPY_malformed() {
	_, err := hopio.ReadNPY(strings.NewReader("\x93NUMPY\x09\x00"))
	fmt.Println(err)
	// Output: npy: offset 6: got version 9.0, want 1.0, 2.0 or 3.0
}

func ExampleWriteNPZ() {
	var file bytes.Buffer
	weights := map[string]*hop.Tensor{"w": hop.Ones(hop.Float32, 2, 2), "b": hop.Zeros(hop.Float32, 2)}
	if err := hopio.WriteNPZ(&file, weights, hopio.Compressed()); err != nil {
		fmt.Println(err)
		return
	}
	back, err := hopio.ReadNPZ(bytes.NewReader(file.Bytes()), int64(file.Len()), hopio.Only("w"))
	fmt.Println(back, err)
	// Output: map[w:[[1 1] [1 1]]] <nil>
}

func ExampleWriteSafetensors() {
	var file bytes.Buffer
	weights := map[string]*hop.Tensor{"w": hop.FromSlice([]float32{1, 2})}
	if err := hopio.WriteSafetensors(&file, weights, map[string]string{"step": "100"}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%q\n", file.String())
	back, metadata, err := hopio.ReadSafetensors(bytes.NewReader(file.Bytes()), int64(file.Len()))
	fmt.Println(back, metadata, err)
	// Output:
	// "X\x00\x00\x00\x00\x00\x00\x00{\"__metadata__\":{\"step\":\"100\"},\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}    \x00\x00\x80?\x00\x00\x00@"
	// map[w:[1 2]] map[step:100] <nil>
}

func ExampleReadCSV() {
	const table = `month,passengers,note
1,112,
2,118,storm
3,,
4,129,
`
	t, columns, err := hopio.ReadCSV(strings.NewReader(table), hopio.Header(), hopio.Columns("passengers", "month"), hopio.MissingAs(math.NaN()))
	fmt.Println(columns, t, err)
	_, _, err = hopio.ReadCSV(strings.NewReader(table), hopio.Header(), hopio.ColumnsAt(0, 1))
	fmt.Println(err)
	// Output:
	// [passengers month] [[112 1] [118 2] [NaN 3] [129 4]] <nil>
	// csv:4:3: column "passengers": got an empty field, want float64; give MissingAs or SkipMissing
}

func ExampleWriteCSV() {
	t := hop.FromSlice([]float64{1, 0.5, 2, 0.25}, 2, 2)
	if err := hopio.WriteCSV(os.Stdout, t, hopio.Header("step", "loss"), hopio.Comma(';')); err != nil {
		fmt.Println(err)
	}
	// Output:
	// step;loss
	// 1;0.5
	// 2;0.25
}

func ExampleSaveTree() {
	type layer struct{ W, B *hop.Tensor }
	type model struct{ Layers []layer }
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.safetensors")
	trained := model{Layers: []layer{{W: hop.Ones(hop.Float32, 1, 2), B: hop.Scalar(float32(3))}}}
	if err := hopio.SaveTree(path, trained); err != nil {
		fmt.Println(err)
		return
	}

	fresh := model{Layers: []layer{{W: hop.Zeros(hop.Float32, 1, 2), B: hop.Scalar(float32(0))}}}
	loaded, err := hopio.LoadTree(path, fresh)
	fmt.Println(loaded.Layers[0].W, loaded.Layers[0].B, err)

	other := model{Layers: []layer{{W: hop.Zeros(hop.Float32, 2, 2)}}}
	_, err = hopio.LoadTree(path, other)
	fmt.Println(strings.Replace(err.Error(), path, "model.safetensors", 1))
	// Output:
	// [[1 1]] 3 <nil>
	// model.safetensors: "Layers[0].W" is float32[1 2], the value has float32[2 2]; "Layers[0].B" is float32[], the value has no such leaf; load into a value of the structure, dtypes and shapes that were saved
}

func ExampleFlatten() {
	weights, err := hopio.Flatten([]*hop.Tensor{hop.Scalar(1.0), hop.Scalar(2.0)})
	if err != nil {
		fmt.Println(err)
		return
	}
	back, err := hopio.Unflatten([]*hop.Tensor{hop.Scalar(0.0), hop.Scalar(0.0)}, weights)
	fmt.Println(weights, back, err)
	// Output: map[[0]:1 [1]:2] [1 2] <nil>
}
