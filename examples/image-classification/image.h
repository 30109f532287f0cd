//===- image.h - Images as rows of pixels -----------------------*- C++ -*-===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads PGM and PPM files without any library; PNG where libpng is
// (EXAMPLE_WITH_PNG), and whatever OpenCV reads (EXAMPLE_WITH_OPENCV).
//
//===----------------------------------------------------------------------===//

#ifndef EXAMPLE_IMAGE_H
#define EXAMPLE_IMAGE_H

#include <cctype>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#ifdef EXAMPLE_WITH_OPENCV
#include <opencv2/imgcodecs.hpp>
#endif
#ifdef EXAMPLE_WITH_PNG
#include <png.h>
#endif

// Rows from the top, pixels from the left, 1 (gray) or 3 (red, green, blue)
// bytes each.
struct Image {
  std::size_t width = 0, height = 0, channels = 0;
  std::vector<std::uint8_t> pixels;

  // As 0 ... 1; a gray image has the same in all channels, and of a colored one
  // the only channel is its brightness.
  float at(std::size_t x, std::size_t y, std::size_t channel,
           std::size_t wanted_channels) const {
    const std::uint8_t *pixel = &pixels[(y * width + x) * channels];
    if (channels == 3 && wanted_channels == 1)
      return (0.299f * pixel[0] + 0.587f * pixel[1] + 0.114f * pixel[2]) / 255;
    return static_cast<float>(pixel[channels == 3 ? channel : 0]) / 255;
  }
};

// The next number of a PGM's or PPM's header; comments reach to the line's end.
inline std::size_t read_number(std::istream &file, const std::string &path) {
  while (std::isspace(file.peek()) || file.peek() == '#')
    if (file.get() == '#')
      while (file && file.get() != '\n')
        ;
  std::size_t number = 0;
  if (!(file >> number) || number == 0 || number > 65535)
    throw std::runtime_error(path + ": not a PGM or PPM header");
  return number;
}

inline Image read_pnm(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error(path + ": cannot be read");
  char kind[2] = {};
  file.read(kind, 2);
  if (kind[0] != 'P' || (kind[1] != '5' && kind[1] != '6'))
    throw std::runtime_error(path + ": neither PGM (P5) nor PPM (P6)");
  Image image;
  image.channels = kind[1] == '6' ? 3 : 1;
  image.width = read_number(file, path);
  image.height = read_number(file, path);
  if (read_number(file, path) != 255)
    throw std::runtime_error(path + ": expected 255 as the largest value");
  file.get();
  image.pixels.resize(image.width * image.height * image.channels);
  file.read(reinterpret_cast<char *>(image.pixels.data()),
            static_cast<std::streamsize>(image.pixels.size()));
  if (!file)
    throw std::runtime_error(path + ": ends before its last pixel");
  return image;
}

#ifdef EXAMPLE_WITH_OPENCV
inline Image read_by_opencv(const std::string &path) {
  cv::Mat read = cv::imread(path, cv::IMREAD_COLOR);
  if (read.empty())
    throw std::runtime_error(path + ": OpenCV cannot read it");
  Image image;
  image.width = static_cast<std::size_t>(read.cols);
  image.height = static_cast<std::size_t>(read.rows);
  image.channels = 3;
  for (int y = 0; y < read.rows; ++y)
    for (int x = 0; x < read.cols; ++x) {
      const cv::Vec3b &blue_green_red = read.at<cv::Vec3b>(y, x);
      for (int channel = 2; channel >= 0; --channel)
        image.pixels.push_back(blue_green_red[channel]);
    }
  return image;
}
#endif

#ifdef EXAMPLE_WITH_PNG
inline Image read_png(const std::string &path) {
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(&png, path.c_str()))
    throw std::runtime_error(path + ": " + png.message);
  Image image;
  image.channels = png.format & PNG_FORMAT_FLAG_COLOR ? 3 : 1;
  png.format = image.channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  image.width = png.width;
  image.height = png.height;
  image.pixels.resize(PNG_IMAGE_SIZE(png));
  const png_color background = {0, 0, 0};
  if (!png_image_finish_read(&png, &background, image.pixels.data(), 0,
                             nullptr))
    throw std::runtime_error(path + ": " + png.message);
  return image;
}
#endif

inline Image read_image(const std::string &path) {
#ifdef EXAMPLE_WITH_OPENCV
  return read_by_opencv(path);
#else
#ifdef EXAMPLE_WITH_PNG
  if (path.size() > 4 && path.substr(path.size() - 4) == ".png")
    return read_png(path);
#endif
  return read_pnm(path);
#endif
}

#endif // EXAMPLE_IMAGE_H
