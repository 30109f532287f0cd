//! onnxc/runtime.h, as much of it as a program with tensors needs.
use std::ffi::{c_char, c_void, CStr};

const ABI_VERSION: u32 = 4;

#[repr(C)]
struct Tensor {
    data: *mut c_void,
    bytes: u64,
    dtype: i32,
    rank: i32,
    dims: [i64; 16],
}

impl Tensor {
    fn new(data: *mut c_void, bytes: usize, dtype: i32, shape: &[i64]) -> Tensor {
        let mut dims = [0; 16];
        dims[..shape.len()].copy_from_slice(shape);
        Tensor { data, bytes: bytes as u64, dtype, rank: shape.len() as i32, dims }
    }
}

/// The beginning of onnxc_model, up to its functions.
#[repr(C)]
pub struct Model {
    abi_version: u32,
    counts: [i32; 3],
    texts: [*const c_char; 4],
    values: [*const c_void; 2],
    sizes: [u64; 2],
    create: unsafe extern "C" fn(*const Model, *const c_void, *mut *mut Context) -> i32,
    destroy: unsafe extern "C" fn(*mut Context),
    run: unsafe extern "C" fn(*mut Context, *const Tensor, i32, *mut Tensor, i32) -> i32,
    error: unsafe extern "C" fn(*const Context) -> *const c_char,
}

#[repr(C)]
pub struct Context(*const Model);

/// One caller's context of a model.
pub struct Session(*mut Context);

impl Session {
    pub fn new(query: unsafe extern "C" fn(u32) -> *const Model) -> Result<Session, String> {
        let mut context = std::ptr::null_mut();
        let model = unsafe { query(ABI_VERSION).as_ref() }.ok_or("another version of onnxc")?;
        match unsafe { (model.create)(model, std::ptr::null(), &mut context) } {
            0 => Ok(Session(context)),
            status => Err(format!("no context: status {status}")),
        }
    }

    /// Runs a model of one input and one output of floats.
    pub fn run(&mut self, input: &[f32], shape: &[i64]) -> Result<&[f32], String> {
        let tensor = Tensor::new(input.as_ptr() as *mut c_void, 4 * input.len(), 1, shape);
        let mut output = Tensor::new(std::ptr::null_mut(), 0, 0, &[]);
        unsafe {
            let model = &*(*self.0).0;
            match (model.run)(self.0, &tensor, 1, &mut output, 1) {
                0 => Ok(std::slice::from_raw_parts(output.data as *const f32, output.bytes as usize / 4)),
                _ => Err(CStr::from_ptr((model.error)(self.0)).to_string_lossy().into_owned()),
            }
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        unsafe { ((*(*self.0).0).destroy)(self.0) }
    }
}
