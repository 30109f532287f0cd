# Part of the onnxc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Structured programs as Lower writes them, each with inputs and the results
that numpy computes: `cases` holds (name, module text, inputs, results, tolerance)."""
import numpy as np
rng=np.random.default_rng(0)
cases=[]
def case(name, mlir, inputs, ref, tol=1e-5):
    cases.append((name,mlir,inputs,ref,tol))
def T(shape,dt='f32',dyn=()):
    return 'tensor<'+''.join(('?' if i in dyn else str(d))+'x' for i,d in enumerate(shape))+dt+'>'
def R(*s): return rng.standard_normal(s).astype('f')
def fn(args, res, body):
    a=', '.join('%%%s: %s'%(n,t) for n,t in args)
    r='(%s)'%', '.join(res)
    return '''func.func @main_graph(%s) -> %s attributes {onnxc.entry} {
  %%c0 = arith.constant 0 : index
  %%c1 = arith.constant 1 : index
  %%c2 = arith.constant 2 : index
  %%c3 = arith.constant 3 : index
  %%z = arith.constant 0.0 : f32
  %%ninf = arith.constant 0xFF800000 : f32
%s
}
'''%(a,r,body)
def mp(dims, outs): return 'affine_map<(%s)->(%s)>'%(','.join(dims),','.join(outs))
# elementwise broadcast
def ew(dyn):
    A=(5,1,7);B=(5,37,7)
    tA=T(A,'f32',(0,) if dyn else ()); tB=T(B,'f32',(0,1) if dyn else ()); tC=tB
    e='''%%d0 = tensor.dim %%b, %%c0 : %s
  %%d1 = tensor.dim %%b, %%c1 : %s
  %%e = tensor.empty(%%d0,%%d1) : %s'''%(tB,tB,tC) if dyn else '%%e = tensor.empty() : %s'%tC
    body='''  %s
  %%r = linalg.generic {indexing_maps=[affine_map<(i,j,k)->(i,0,k)>, affine_map<(i,j,k)->(i,j,k)>, affine_map<(i,j,k)->(i,j,k)>], iterator_types=["parallel","parallel","parallel"]} ins(%%a, %%b: %s, %s) outs(%%e: %s) {
  ^bb0(%%x: f32, %%y: f32, %%o: f32):
    %%m = arith.addf %%x, %%y : f32
    linalg.yield %%m : f32
  } -> %s
  %%r2 = linalg.generic {indexing_maps=[affine_map<(i,j,k)->(i,j,k)>, affine_map<(i,j,k)->(i,j,k)>], iterator_types=["parallel","parallel","parallel"]} ins(%%r: %s) outs(%%e: %s) {
  ^bb0(%%x: f32, %%o: f32):
    %%q = math.exp %%x : f32
    %%t = math.tanh %%q : f32
    linalg.yield %%t : f32
  } -> %s
  return %%r2 : %s'''%(e,tA,tB,tC,tC,tC,tC,tC,tC)
    a,b=R(*A),R(*B)
    case('ew_dyn' if dyn else 'ew',fn([('a',tA),('b',tB)],[tC],body),[a,b],[np.tanh(np.exp(a+b))],1e-5)
    if dyn: case('ew_zero',fn([('a',tA),('b',tB)],[tC],body),[R(0,1,7),R(0,37,7)],[np.zeros((0,37,7),'f')])
ew(False); ew(True)
def matmul(M,N,K,dyn=False,bias=True):
    tA=T((M,K),'f32',(0,) if dyn else ()); tB=T((K,N)); tC=T((M,N),'f32',(0,) if dyn else ())
    e='%%d0 = tensor.dim %%a, %%c0 : %s\n  %%e = tensor.empty(%%d0) : %s'%(tA,tC) if dyn else '%%e = tensor.empty() : %s'%tC
    body='''  %s
  %%f = linalg.fill ins(%%z: f32) outs(%%e: %s) -> %s
  %%r = linalg.matmul ins(%%a, %%b: %s, %s) outs(%%f: %s) -> %s
  %%r2 = linalg.generic {indexing_maps=[affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(j)>, affine_map<(i,j)->(i,j)>], iterator_types=["parallel","parallel"]} ins(%%r, %%bi: %s, %s) outs(%%e: %s) {
  ^bb0(%%x: f32, %%y: f32, %%o: f32):
    %%m = arith.addf %%x, %%y : f32
    %%q = arith.maximumf %%m, %%z : f32
    linalg.yield %%q : f32
  } -> %s
  return %%r2 : %s'''%(e,tC,tC,tA,tB,tC,tC,tC,T((N,)),tC,tC,tC)
    a,b,c=R(M,K),R(K,N),R(N)
    case('matmul_%dx%dx%d%s'%(M,N,K,'_dyn' if dyn else ''),fn([('a',tA),('b',tB),('bi',T((N,)))],[tC],body),[a,b,c],[np.maximum(a@b+c,0)],1e-4*max(1,K**.5/4))
for s in [(1,1000,512),(3,5,7),(17,33,65),(64,64,64),(13,100,31),(197,768,768)]: matmul(*s)
matmul(17,33,65,True); matmul(1,128,64,True)
def bmm(Bt,M,N,K):
    tA=T((Bt,M,K)); tB=T((Bt,K,N)); tC=T((Bt,M,N))
    body='''  %%e = tensor.empty() : %s
  %%f = linalg.fill ins(%%z: f32) outs(%%e: %s) -> %s
  %%r = linalg.batch_matmul ins(%%a, %%b: %s, %s) outs(%%f: %s) -> %s
  return %%r : %s'''%(tC,tC,tC,tA,tB,tC,tC,tC)
    a,b=R(Bt,M,K),R(Bt,K,N)
    case('bmm_%d_%d_%d_%d'%(Bt,M,N,K),fn([('a',tA),('b',tB)],[tC],body),[a,b],[a@b],1e-4)
bmm(3,5,7,9); bmm(12,50,64,50)
# Gemm with transposed B: generic contraction C[m,n]+=A[m,k]*B[n,k]
def gemm_tb(M,N,K):
    tA=T((M,K)); tB=T((N,K)); tC=T((M,N))
    body='''  %%e = tensor.empty() : %s
  %%f = linalg.fill ins(%%z: f32) outs(%%e: %s) -> %s
  %%r = linalg.generic {indexing_maps=[affine_map<(m,n,k)->(m,k)>,affine_map<(m,n,k)->(n,k)>,affine_map<(m,n,k)->(m,n)>], iterator_types=["parallel","parallel","reduction"]} ins(%%a,%%b: %s,%s) outs(%%f: %s) {
  ^bb0(%%x: f32,%%y: f32,%%o: f32):
    %%m = arith.mulf %%x,%%y : f32
    %%s = arith.addf %%o,%%m : f32
    linalg.yield %%s : f32
  } -> %s
  return %%r : %s'''%(tC,tC,tC,tA,tB,tC,tC,tC)
    a,b=R(M,K),R(N,K)
    case('gemm_tb_%dx%dx%d'%(M,N,K),fn([('a',tA),('b',tB)],[tC],body),[a,b],[a@b.T],1e-4*max(1,K**.5/4))
gemm_tb(1,1000,2048); gemm_tb(5,17,33); gemm_tb(49,64,64)
def npconv(x,w,s,p,g=1):
    N,C,H,W=x.shape;O,Cg,KH,KW=w.shape
    x=np.pad(x,((0,0),(0,0),(p,p),(p,p))).astype('d')
    OH=(x.shape[2]-KH)//s+1;OW=(x.shape[3]-KW)//s+1
    out=np.zeros((N,O,OH,OW))
    og=O//g
    for gi in range(g):
        for kh in range(KH):
            for kw in range(KW):
                xs=x[:,gi*Cg:(gi+1)*Cg,kh:kh+s*OH:s,kw:kw+s*OW:s]
                out[:,gi*og:(gi+1)*og]+=np.einsum('nchw,oc->nohw',xs,w[gi*og:(gi+1)*og,:,kh,kw])
    return out.astype('f')
def padop(name,src,ts,p,tp,val='%z'):
    return '''%%%s = tensor.pad %%%s low[0,0,%d,%d] high[0,0,%d,%d] {
  ^bb0(%%i0: index,%%i1: index,%%i2: index,%%i3: index):
    tensor.yield %s : f32
  } : %s to %s'''%(name,src,p,p,p,p,val,ts,tp)
def conv(N,C,H,W,O,K,s,p,dyn=False,constw=False,relu=True):
    x=R(N,C,H,W); w=(R(O,C,K,K)/np.sqrt(C*K*K)).astype('f'); b=R(O)
    OH=(H+2*p-K)//s+1;OW=(W+2*p-K)//s+1
    dd=(0,) if dyn else ()
    tx=T(x.shape,'f32',dd);tp=T((N,C,H+2*p,W+2*p),'f32',dd);tw=T(w.shape);tc=T((N,O,OH,OW),'f32',dd)
    e='%%d0 = tensor.dim %%x, %%c0 : %s\n  %%e = tensor.empty(%%d0) : %s'%(tx,tc) if dyn else '%%e = tensor.empty() : %s'%tc
    body='''  %s
  %s
  %%f = linalg.broadcast ins(%%b: %s) outs(%%e: %s) dimensions=[0,2,3]
  %%r = linalg.conv_2d_nchw_fchw {strides=dense<%d>: tensor<2xi64>, dilations=dense<1>: tensor<2xi64>} ins(%%p,%%w: %s,%s) outs(%%f: %s) -> %s
  %%q = linalg.generic {indexing_maps=[affine_map<(a,b,c,d)->(a,b,c,d)>,affine_map<(a,b,c,d)->(a,b,c,d)>], iterator_types=["parallel","parallel","parallel","parallel"]} ins(%%r: %s) outs(%%e: %s) {
  ^bb0(%%u: f32,%%o: f32):
    %%m = arith.maximumf %%u,%%z : f32
    linalg.yield %%m : f32
  } -> %s
  return %%q : %s'''%(padop('p','x',tx,p,tp) if p else '%%p = tensor.cast %%x : %s to %s'%(tx,tp),e,T((O,)),tc,s,tp,tw,tc,tc,tc,tc,tc,tc)
    case('conv_%s%s'%('x'.join(map(str,(N,C,H,W,O,K,s,p))),'_dyn' if dyn else ''),fn([('x',tx),('w',tw),('b',T((O,)))],[tc],body),[x,w,b],[np.maximum(npconv(x,w,s,p)+b[:,None,None],0)],1e-4)
conv(1,3,17,19,8,3,1,1); conv(1,3,17,19,8,3,2,1); conv(2,5,9,9,7,3,1,0); conv(1,16,14,14,32,1,1,0); conv(1,16,14,14,32,1,2,0); conv(2,4,11,11,6,5,2,2,True); conv(1,3,40,40,16,7,2,3)
# depthwise as generic (n,c,oh,ow,kh,kw)
def dw(N,C,H,W,K,s,p):
    x=R(N,C,H,W); w=R(C,1,K,K)
    OH=(H+2*p-K)//s+1;OW=(W+2*p-K)//s+1
    tx=T(x.shape);tp=T((N,C,H+2*p,W+2*p));tw=T((C,K,K));tc=T((N,C,OH,OW))
    body='''  %s
  %%e = tensor.empty() : %s
  %%f = linalg.fill ins(%%z: f32) outs(%%e: %s) -> %s
  %%r = linalg.generic {indexing_maps=[affine_map<(n,c,h,w,i,j)->(n,c,h*%d+i,w*%d+j)>,affine_map<(n,c,h,w,i,j)->(c,i,j)>,affine_map<(n,c,h,w,i,j)->(n,c,h,w)>], iterator_types=["parallel","parallel","parallel","parallel","reduction","reduction"]} ins(%%p,%%w: %s,%s) outs(%%f: %s) {
  ^bb0(%%x0: f32,%%y: f32,%%o: f32):
    %%m = arith.mulf %%x0,%%y : f32
    %%s = arith.addf %%o,%%m : f32
    linalg.yield %%s : f32
  } -> %s
  return %%r : %s'''%(padop('p','x',tx,p,tp),tc,tc,tc,s,s,tp,tw,tc,tc,tc)
    case('dw_%s'%('x'.join(map(str,(N,C,H,W,K,s,p)))),fn([('x',tx),('w',tw)],[tc],body),[x,w[:,0]],[npconv(x,w,s,p,C)],1e-4)
dw(1,8,14,14,3,1,1); dw(1,5,15,13,3,2,1)
def grouped(N,G,Cg,H,W,Og,K,s,p):
    x=R(N,G*Cg,H,W); w=R(G*Og,Cg,K,K)
    OH=(H+2*p-K)//s+1;OW=(W+2*p-K)//s+1
    tx=T(x.shape);tp=T((N,G*Cg,H+2*p,W+2*p));tw=T(w.shape);tc=T((N,G*Og,OH,OW))
    tpg=T((N,G,Cg,H+2*p,W+2*p));twg=T((G,Og,Cg,K,K));tcg=T((N,G,Og,OH,OW))
    body='''  %s
  %%pg = tensor.expand_shape %%p [[0],[1,2],[3],[4]] output_shape [%d,%d,%d,%d,%d] : %s into %s
  %%wg = tensor.expand_shape %%w [[0,1],[2],[3],[4]] output_shape [%d,%d,%d,%d,%d] : %s into %s
  %%e = tensor.empty() : %s
  %%f = linalg.fill ins(%%z: f32) outs(%%e: %s) -> %s
  %%r = linalg.generic {indexing_maps=[affine_map<(n,g,o,h,w,c,i,j)->(n,g,c,h*%d+i,w*%d+j)>,affine_map<(n,g,o,h,w,c,i,j)->(g,o,c,i,j)>,affine_map<(n,g,o,h,w,c,i,j)->(n,g,o,h,w)>], iterator_types=["parallel","parallel","parallel","parallel","parallel","reduction","reduction","reduction"]} ins(%%pg,%%wg: %s,%s) outs(%%f: %s) {
  ^bb0(%%x0: f32,%%y: f32,%%o: f32):
    %%m = arith.mulf %%x0,%%y : f32
    %%s = arith.addf %%o,%%m : f32
    linalg.yield %%s : f32
  } -> %s
  %%rc = tensor.collapse_shape %%r [[0],[1,2],[3],[4]] : %s into %s
  return %%rc : %s'''%(padop('p','x',tx,p,tp),N,G,Cg,H+2*p,W+2*p,tp,tpg,G,Og,Cg,K,K,tw,twg,tcg,tcg,tcg,s,s,tpg,twg,tcg,tcg,tcg,tc,tc)
    case('grouped_%s'%('x'.join(map(str,(N,G,Cg,H,W,Og,K,s,p)))),fn([('x',tx),('w',tw)],[tc],body),[x,w],[npconv(x,w,s,p,G)],1e-4)
grouped(1,4,3,9,9,5,3,1,1)
def pool(kind,N,C,H,W,K,s,p):
    x=R(N,C,H,W)
    OH=(H+2*p-K)//s+1;OW=(W+2*p-K)//s+1
    tx=T(x.shape);tp=T((N,C,H+2*p,W+2*p));tc=T((N,C,OH,OW))
    init='%ninf' if kind=='max' else '%z'
    fin='' if kind=='max' else '''
  %%k = arith.constant %f : f32
  %%q = linalg.generic {indexing_maps=[affine_map<(a,b,c,d)->(a,b,c,d)>,affine_map<(a,b,c,d)->(a,b,c,d)>], iterator_types=["parallel","parallel","parallel","parallel"]} ins(%%r: %s) outs(%%e: %s) {
  ^bb0(%%u: f32,%%o: f32):
    %%m = arith.divf %%u,%%k : f32
    linalg.yield %%m : f32
  } -> %s'''%(K*K,tc,tc,tc)
    body='''  %s
  %%e = tensor.empty() : %s
  %%w = tensor.empty() : tensor<%dx%dxf32>
  %%f = linalg.fill ins(%s: f32) outs(%%e: %s) -> %s
  %%r = linalg.pooling_nchw_%s {strides=dense<%d>: tensor<2xi64>, dilations=dense<1>: tensor<2xi64>} ins(%%p,%%w: %s,tensor<%dx%dxf32>) outs(%%f: %s) -> %s%s
  return %%%s : %s'''%(padop('p','x',tx,p,tp,init) if p else '%%p = tensor.cast %%x : %s to %s'%(tx,tp),tc,K,K,init,tc,tc,kind,s,tp,K,K,tc,tc,fin,'r' if kind=='max' else 'q',tc)
    xp=np.pad(x,((0,0),(0,0),(p,p),(p,p)),constant_values=-np.inf if kind=='max' else 0)
    st=np.stack([xp[:,:,i:i+s*OH:s,j:j+s*OW:s] for i in range(K) for j in range(K)])
    ref=st.max(0) if kind=='max' else st.sum(0)/(K*K)
    case('pool%s_%s'%(kind,'x'.join(map(str,(N,C,H,W,K,s,p)))),fn([('x',tx)],[tc],body),[x],[ref.astype('f')],1e-5)
pool('max',1,6,17,17,3,2,1); pool('sum',1,6,14,14,2,2,0); pool('max',1,3,12,12,2,2,0); pool('sum',1,7,7,7,7,1,0)
def softmax(M,N,dyn=False):
    x=R(M,N)*3
    d=(0,1) if dyn else ()
    t=T((M,N),'f32',d); v=T((M,),'f32',(0,) if dyn else ())
    e='''%%d0 = tensor.dim %%x, %%c0 : %s
  %%d1 = tensor.dim %%x, %%c1 : %s
  %%e = tensor.empty(%%d0,%%d1) : %s
  %%ev = tensor.empty(%%d0) : %s'''%(t,t,t,v) if dyn else '%%e = tensor.empty() : %s\n  %%ev = tensor.empty() : %s'%(t,v)
    G='linalg.generic {indexing_maps=[%s], iterator_types=[%s]}'
    I,Rw='affine_map<(i,j)->(i,j)>','affine_map<(i,j)->(i)>'
    red=G%(I+','+Rw,'"parallel","reduction"')
    el2=G%(','.join([I,Rw,I]),'"parallel","parallel"')
    body='''  {e}
  %fm = linalg.fill ins(%ninf: f32) outs(%ev: {v}) -> {v}
  %mx = {red} ins(%x: {t}) outs(%fm: {v}) {{
  ^bb0(%u: f32,%o: f32):
    %m = arith.maximumf %u,%o : f32
    linalg.yield %m : f32
  }} -> {v}
  %ex = {el2} ins(%x,%mx: {t},{v}) outs(%e: {t}) {{
  ^bb0(%u: f32,%w: f32,%o: f32):
    %m = arith.subf %u,%w : f32
    %q = math.exp %m : f32
    linalg.yield %q : f32
  }} -> {t}
  %fs = linalg.fill ins(%z: f32) outs(%ev: {v}) -> {v}
  %sm = {red} ins(%ex: {t}) outs(%fs: {v}) {{
  ^bb0(%u: f32,%o: f32):
    %m = arith.addf %u,%o : f32
    linalg.yield %m : f32
  }} -> {v}
  %r = {el2} ins(%ex,%sm: {t},{v}) outs(%e: {t}) {{
  ^bb0(%u: f32,%w: f32,%o: f32):
    %m = arith.divf %u,%w : f32
    linalg.yield %m : f32
  }} -> {t}
  return %r : {t}'''.format(e=e,t=t,v=v,red=red,el2=el2)
    y=np.exp(x-x.max(1,keepdims=True)); 
    case('softmax_%dx%d%s'%(M,N,'_dyn' if dyn else ''),fn([('x',t)],[t],body),[x],[y/y.sum(1,keepdims=True)],1e-5)
softmax(5,1000); softmax(197,197); softmax(7,13); softmax(5,37,True)
def layernorm(M,N):
    x=R(M,N)*3+1; g=R(N); b=R(N)
    t=T((M,N)); v=T((M,)); w=T((N,))
    G='linalg.generic {indexing_maps=[%s], iterator_types=[%s]}'
    I,Rw,Cw='affine_map<(i,j)->(i,j)>','affine_map<(i,j)->(i)>','affine_map<(i,j)->(j)>'
    red=G%(I+','+Rw,'"parallel","reduction"')
    body='''  %e = tensor.empty() : {t}
  %ev = tensor.empty() : {v}
  %n = arith.constant {N}.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %fs = linalg.fill ins(%z: f32) outs(%ev: {v}) -> {v}
  %sm = {red} ins(%x: {t}) outs(%fs: {v}) {{
  ^bb0(%u: f32,%o: f32):
    %m = arith.addf %u,%o : f32
    linalg.yield %m : f32
  }} -> {v}
  %mean = {e1} ins(%sm: {v}) outs(%ev: {v}) {{
  ^bb0(%u: f32,%o: f32):
    %m = arith.divf %u,%n : f32
    linalg.yield %m : f32
  }} -> {v}
  %dd = {el2} ins(%x,%mean: {t},{v}) outs(%e: {t}) {{
  ^bb0(%u: f32,%q: f32,%o: f32):
    %m = arith.subf %u,%q : f32
    linalg.yield %m : f32
  }} -> {t}
  %sq = {el1} ins(%dd: {t}) outs(%e: {t}) {{
  ^bb0(%u: f32,%o: f32):
    %m = arith.mulf %u,%u : f32
    linalg.yield %m : f32
  }} -> {t}
  %vs = {red} ins(%sq: {t}) outs(%fs: {v}) {{
  ^bb0(%u: f32,%o: f32):
    %m = arith.addf %u,%o : f32
    linalg.yield %m : f32
  }} -> {v}
  %iv = {e1} ins(%vs: {v}) outs(%ev: {v}) {{
  ^bb0(%u: f32,%o: f32):
    %m = arith.divf %u,%n : f32
    %q = arith.addf %m,%eps : f32
    %s = math.sqrt %q : f32
    linalg.yield %s : f32
  }} -> {v}
  %r = {el4} ins(%dd,%iv,%g,%b: {t},{v},{w},{w}) outs(%e: {t}) {{
  ^bb0(%u: f32,%q: f32,%gg: f32,%bb: f32,%o: f32):
    %m = arith.divf %u,%q : f32
    %s = arith.mulf %m,%gg : f32
    %y = arith.addf %s,%bb : f32
    linalg.yield %y : f32
  }} -> {t}
  return %r : {t}'''.format(t=t,v=v,w=w,N=N,red=red,e1=G%('affine_map<(i)->(i)>,affine_map<(i)->(i)>','"parallel"'),el1=G%(I+','+I,'"parallel","parallel"'),el2=G%(','.join([I,Rw,I]),'"parallel","parallel"'),el4=G%(','.join([I,Rw,Cw,Cw,I]),'"parallel","parallel"'))
    d=x-x.mean(1,keepdims=True); ref=d/np.sqrt((d*d).mean(1,keepdims=True)+1e-5)*g+b
    case('layernorm_%dx%d'%(M,N),fn([('x',t),('g',w),('b',w)],[t],body),[x,g,b],[ref],1e-4)
layernorm(7,768); layernorm(197,768); layernorm(3,13)
def transpose(shape,perm):
    x=R(*shape); y=x.transpose(perm)
    body='''  %%e = tensor.empty() : %s
  %%r = linalg.transpose ins(%%x: %s) outs(%%e: %s) permutation=[%s]
  return %%r : %s'''%(T(y.shape),T(shape),T(y.shape),','.join(map(str,perm)),T(y.shape))
    case('transpose_%s_%s'%('x'.join(map(str,shape)),''.join(map(str,perm))),fn([('x',T(shape))],[T(y.shape)],body),[x],[np.ascontiguousarray(y)],0)
transpose((37,53),(1,0)); transpose((2,19,3,8),(0,2,1,3)); transpose((2,19,3,8),(0,2,3,1)); transpose((3,5,7),(2,1,0))
def slicing():
    x=R(4,10,6); y=R(4,3,6)
    body='''  %s = tensor.extract_slice %%x[0,2,0][4,3,6][1,2,1] : tensor<4x10x6xf32> to tensor<4x3x6xf32>
  %%e = tensor.empty() : tensor<4x6x6xf32>
  %%i1 = tensor.insert_slice %%s into %%e[0,0,0][4,3,6][1,1,1] : tensor<4x3x6xf32> into tensor<4x6x6xf32>
  %%i2 = tensor.insert_slice %%y into %%i1[0,3,0][4,3,6][1,1,1] : tensor<4x3x6xf32> into tensor<4x6x6xf32>
  return %%i2 : tensor<4x6x6xf32>'''%'%s'
    case('slices',fn([('x',T(x.shape)),('y',T(y.shape))],['tensor<4x6x6xf32>'],body.replace('%%','%')),[x,y],[np.concatenate([x[:,2:8:2],y],1)],0)
slicing()
def i64ops():
    x=rng.integers(-5,5,(3,19)).astype('i8'); 
    body='''  %e = tensor.empty() : tensor<3x19xi64>
  %eb = tensor.empty() : tensor<3x19xi1>
  %r:2 = linalg.generic {indexing_maps=[affine_map<(i,j)->(i,j)>,affine_map<(i,j)->(i,j)>,affine_map<(i,j)->(i,j)>], iterator_types=["parallel","parallel"]} ins(%x: tensor<3x19xi64>) outs(%e,%eb: tensor<3x19xi64>,tensor<3x19xi1>) {
  ^bb0(%u: i64,%o: i64,%ob: i1):
    %m = arith.muli %u,%u : i64
    %zz = arith.constant 0 : i64
    %b = arith.cmpi slt,%u,%zz : i64
    linalg.yield %m,%b : i64,i1
  } -> (tensor<3x19xi64>,tensor<3x19xi1>)
  return %r#0,%r#1 : tensor<3x19xi64>,tensor<3x19xi1>'''
    case('i64_bool',fn([('x','tensor<3x19xi64>')],['tensor<3x19xi64>','tensor<3x19xi1>'],body),[x],[x*x,x<0],0)
i64ops()
def argmaxlike():
    x=R(5,37)
    body='''  %e = tensor.empty() : tensor<5xf32>
  %ei = tensor.empty() : tensor<5xi64>
  %zi = arith.constant 0 : i64
  %f = linalg.fill ins(%ninf: f32) outs(%e: tensor<5xf32>) -> tensor<5xf32>
  %fi = linalg.fill ins(%zi: i64) outs(%ei: tensor<5xi64>) -> tensor<5xi64>
  %r:2 = linalg.generic {indexing_maps=[affine_map<(i,j)->(i,j)>,affine_map<(i,j)->(i)>,affine_map<(i,j)->(i)>], iterator_types=["parallel","reduction"]} ins(%x: tensor<5x37xf32>) outs(%f,%fi: tensor<5xf32>,tensor<5xi64>) {
  ^bb0(%u: f32,%o: f32,%oi: i64):
    %ix = linalg.index 1 : index
    %i64 = arith.index_cast %ix : index to i64
    %b = arith.cmpf ogt,%u,%o : f32
    %m = arith.select %b,%u,%o : f32
    %n = arith.select %b,%i64,%oi : i64
    linalg.yield %m,%n : f32,i64
  } -> (tensor<5xf32>,tensor<5xi64>)
  return %r#1 : tensor<5xi64>'''
    case('argmax',fn([('x','tensor<5x37xf32>')],['tensor<5xi64>'],body),[x],[x.argmax(1)],0)
argmaxlike()
def gather():
    x=R(11,6); i=rng.integers(0,11,(4,)).astype('i8')
    body='''  %e = tensor.empty() : tensor<4x6xf32>
  %r = linalg.generic {indexing_maps=[affine_map<(i,j)->(i)>,affine_map<(i,j)->(i,j)>], iterator_types=["parallel","parallel"]} ins(%i: tensor<4xi64>) outs(%e: tensor<4x6xf32>) {
  ^bb0(%u: i64,%o: f32):
    %ix = linalg.index 1 : index
    %iu = arith.index_cast %u : i64 to index
    %v = tensor.extract %x[%iu,%ix] : tensor<11x6xf32>
    linalg.yield %v : f32
  } -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>'''
    case('gather',fn([('x',T((11,6))),('i','tensor<4xi64>')],['tensor<4x6xf32>'],body),[x,i],[x[i]],0)
gather()
def loop():
    x=R(6,5)
    body='''  %c6 = arith.constant 6 : index
  %e = tensor.empty() : tensor<5xf32>
  %f = linalg.fill ins(%z: f32) outs(%e: tensor<5xf32>) -> tensor<5xf32>
  %r:2 = scf.for %k = %c0 to %c6 step %c1 iter_args(%a = %f, %b = %f) -> (tensor<5xf32>,tensor<5xf32>) {
    %s = tensor.extract_slice %x[%k,0][1,5][1,1] : tensor<6x5xf32> to tensor<5xf32>
    %m = linalg.generic {indexing_maps=[affine_map<(i)->(i)>,affine_map<(i)->(i)>,affine_map<(i)->(i)>], iterator_types=["parallel"]} ins(%s,%a: tensor<5xf32>,tensor<5xf32>) outs(%e: tensor<5xf32>) {
    ^bb0(%u: f32,%v: f32,%o: f32):
      %t = arith.addf %u,%v : f32
      linalg.yield %t : f32
    } -> tensor<5xf32>
    %ok = arith.cmpi slt,%k,%c6 : index
    cf.assert %ok, "node 'loop': bad"
    scf.yield %b,%m : tensor<5xf32>,tensor<5xf32>
  }
  return %r#0,%r#1 : tensor<5xf32>,tensor<5xf32>'''
    a=np.zeros(5,'f');b=np.zeros(5,'f')
    for k in range(6): a,b=b,a+x[k]
    case('loop_swap',fn([('x',T((6,5)))],['tensor<5xf32>']*2,body),[x],[a,b],1e-6)
loop()
def cond():
    x=R(6,5)
    body='''  %v = tensor.extract %x[%c0,%c0] : tensor<6x5xf32>
  %p = arith.cmpf ogt,%v,%z : f32
  %r = scf.if %p -> (tensor<6x5xf32>) {
    %e = tensor.empty() : tensor<6x5xf32>
    %m = linalg.generic {indexing_maps=[affine_map<(i,j)->(i,j)>,affine_map<(i,j)->(i,j)>], iterator_types=["parallel","parallel"]} ins(%x: tensor<6x5xf32>) outs(%e: tensor<6x5xf32>) {
    ^bb0(%u: f32,%o: f32):
      %t = arith.addf %u,%u : f32
      linalg.yield %t : f32
    } -> tensor<6x5xf32>
    scf.yield %m : tensor<6x5xf32>
  } else {
    scf.yield %x : tensor<6x5xf32>
  }
  return %r : tensor<6x5xf32>'''
    case('cond',fn([('x',T((6,5)))],['tensor<6x5xf32>'],body),[x],[x+x if x[0,0]>0 else x],0)
    x=-x
    case('cond2',fn([('x',T((6,5)))],['tensor<6x5xf32>'],body),[x],[x+x if x[0,0]>0 else x],0)
cond()
