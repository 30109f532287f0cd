//===- vad.cpp - Voice activity in a stream of sound ----------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// vad [--threshold=0.5] [--probabilities] RECORDING.wav
// arecord -f S16_LE -r 16000 -t raw | vad -
//
// For Silero's model of voice activity, or one with the same inputs: `input`,
// [1, 64 + 512] samples, the first 64 of which are the end of the block before;
// `state`, what the model knows of all blocks before; `sr`, the sampling rate.
// Prints when speech begins and ends, as soon as it is known; with
// --probabilities that of each block, too.
//
//===----------------------------------------------------------------------===//

#include "voice.h" // written by: onnxc silero_vad.onnx -o voice.a
#include <onnxc/onnxc.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <stdexcept>

namespace {
constexpr std::int64_t rate = 16000;
constexpr std::size_t context = 64, block = 512;
// Speech ends when so many blocks in a row are below the lower threshold.
constexpr int blocks_of_silence = 4;
constexpr float hysteresis = 0.15f;

std::uint32_t little_endian(const unsigned char *bytes, int count) {
  std::uint32_t number = 0;
  while (count-- > 0)
    number = number << 8 | bytes[count];
  return number;
}

// Goes to the samples of a WAV file.
void skip_header(std::istream &file, const std::string &path) {
  unsigned char head[12], chunk[8];
  auto read = [&](unsigned char *to, std::size_t count) {
    file.read(reinterpret_cast<char *>(to), static_cast<long>(count));
    if (!file)
      throw std::runtime_error(path + ": ends before its samples");
  };
  read(head, 12);
  if (std::memcmp(head, "RIFF", 4) || std::memcmp(head + 8, "WAVE", 4))
    throw std::runtime_error(path + ": not a WAV file");
  for (read(chunk, 8); std::memcmp(chunk, "data", 4); read(chunk, 8)) {
    std::uint32_t size = little_endian(chunk + 4, 4);
    if (!std::memcmp(chunk, "fmt ", 4) && size >= 16) {
      unsigned char format[16];
      read(format, 16);
      if (little_endian(format, 2) != 1 || little_endian(format + 2, 2) != 1 ||
          little_endian(format + 4, 4) != rate ||
          little_endian(format + 14, 2) != 16)
        throw std::runtime_error(path +
                                 ": expected 16 bits, 16000 Hz, one channel");
      size -= 16;
    }
    file.ignore(size + size % 2);
  }
}

// The model, with what it remembers between blocks.
class Detector {
public:
  Detector() : session(voice_query) { samples.fill(0); }

  // The probability of speech in these samples.
  float step(const std::int16_t *next) {
    std::copy(samples.end() - context, samples.end(), samples.begin());
    for (std::size_t i = 0; i < block; ++i)
      samples[context + i] = static_cast<float>(next[i]) / 32768;
    // The state is an output of the run before: it stays where it is, and is
    // not copied.
    onnxc::Outputs outputs =
        session.run({{"input", {samples, {1, context + block}}},
                     {"state", state},
                     {"sr", onnxc::Tensor::scalar(rate)}});
    state = outputs["stateN"];
    return outputs["output"].item<float>();
  }

private:
  onnxc::Session session;
  std::array<float, context + block> samples;
  const std::array<float, 2 * 128> silence = {};
  onnxc::Tensor state = {silence, {2, 1, 128}};
};

void listen(std::istream &recording, float threshold, bool all) {
  Detector detector;
  std::array<unsigned char, 2 * block> bytes;
  std::array<std::int16_t, block> samples;
  bool speaks = false;
  int silent = 0;
  std::size_t blocks = 0;
  auto say = [&](const char *what, std::size_t at) {
    std::printf("%8.3f s  %s\n",
                static_cast<double>(at * block) / static_cast<double>(rate),
                what);
    std::fflush(stdout);
  };
  for (; recording.read(reinterpret_cast<char *>(bytes.data()), bytes.size());
       ++blocks) {
    for (std::size_t i = 0; i < block; ++i)
      samples[i] = static_cast<std::int16_t>(little_endian(&bytes[2 * i], 2));
    float probability = detector.step(samples.data());
    if (all)
      std::printf("%8.6f\n", static_cast<double>(probability));
    silent = probability < threshold - hysteresis ? silent + 1 : 0;
    if (!speaks && probability >= threshold) {
      speaks = true;
      say("speech", blocks);
    } else if (speaks && silent == blocks_of_silence) {
      speaks = false;
      say("silence", blocks + 1 - blocks_of_silence);
    }
  }
  say("end", blocks);
}
} // namespace

int main(int argc, char **argv) {
  float threshold = 0.5f;
  bool all = false;
  std::string path;
  try {
    for (int i = 1; i < argc; ++i)
      if (!std::strncmp(argv[i], "--threshold=", 12))
        threshold = std::stof(argv[i] + 12);
      else if (!std::strcmp(argv[i], "--probabilities"))
        all = true;
      else
        path = argv[i];
    if (path.empty())
      throw std::runtime_error("expected a recording, or -");
    if (path == "-") {
      listen(std::cin, threshold, all);
      return 0;
    }
    std::ifstream file(path, std::ios::binary);
    if (!file)
      throw std::runtime_error(path + ": cannot be read");
    skip_header(file, path);
    listen(file, threshold, all);
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "vad: %s\n", error.what());
    return 1;
  }
}
