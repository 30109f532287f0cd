//===- RecurrentActivations.cpp - Functions of RNN, GRU, LSTM -*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrentActivations.h"

using namespace mlir;
using namespace onnxc;

static const ActivationKind kActivations[] = {
    {"Relu", std::nullopt, std::nullopt,
     [](ScalarBuilder &s, Value x, double, double) {
       return s.max(x, s.zero(x));
     }},
    {"Tanh", std::nullopt, std::nullopt,
     [](ScalarBuilder &s, Value x, double, double) { return s.tanh(x); }},
    {"Sigmoid", std::nullopt, std::nullopt,
     [](ScalarBuilder &s, Value x, double, double) { return s.sigmoid(x); }},
    {"Affine", 1.0, 0.0,
     [](ScalarBuilder &s, Value x, double alpha, double beta) {
       Value scaled = s.mul(s.constant(x, alpha), x);
       return s.add(scaled, s.constant(x, beta));
     }},
    {"LeakyRelu", 0.01, std::nullopt,
     [](ScalarBuilder &s, Value x, double alpha, double) {
       Value isNegative = s.lt(x, s.zero(x));
       return s.select(isNegative, s.mul(s.constant(x, alpha), x), x);
     }},
    {"ThresholdedRelu", 1.0, std::nullopt,
     [](ScalarBuilder &s, Value x, double alpha, double) {
       Value isAbove = s.ge(x, s.constant(x, alpha));
       return s.select(isAbove, x, s.zero(x));
     }},
    {"ScaledTanh", 1.0, 1.0,
     [](ScalarBuilder &s, Value x, double alpha, double beta) {
       Value factor = s.constant(x, alpha);
       return s.mul(factor, s.tanh(s.mul(s.constant(x, beta), x)));
     }},
    {"HardSigmoid", 0.2, 0.5,
     [](ScalarBuilder &s, Value x, double alpha, double beta) {
       Value scaled = s.mul(s.constant(x, alpha), x);
       Value line = s.add(scaled, s.constant(x, beta));
       Value zero = s.zero(x);
       return s.max(zero, s.min(s.one(x), line));
     }},
    {"Elu", 1.0, std::nullopt,
     [](ScalarBuilder &s, Value x, double alpha, double) {
       Value isNegative = s.lt(x, s.zero(x));
       Value factor = s.constant(x, alpha);
       return s.select(isNegative, s.mul(factor, s.expm1(x)), x);
     }},
    {"Softsign", std::nullopt, std::nullopt,
     [](ScalarBuilder &s, Value x, double, double) {
       Value one = s.one(x);
       return s.div(x, s.add(one, s.abs(x)));
     }},
    {"Softplus", std::nullopt, std::nullopt,
     [](ScalarBuilder &s, Value x, double, double) {
       Value positive = s.max(x, s.zero(x));
       return s.add(positive, s.log1p(s.exp(s.neg(s.abs(x)))));
     }},
};

ArrayRef<ActivationKind> onnxc::getActivationKinds() { return kActivations; }
