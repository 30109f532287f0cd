// What later releases of glibc have in other places, under other versions, or
// at all: the functions of lib/OldGlibc, threads, exceptions, libm.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <dlfcn.h>
#include <malloc.h>
#include <mutex>
#include <random>
#include <stdexcept>
#include <sys/stat.h>
#include <thread>

int main(int argc, char **argv) {
  struct stat status;
  if (stat(argv[0], &status) || !S_ISREG(status.st_mode))
    return 1;
  if (lstat("/nothing/here", &status) == 0)
    return 2;
  if (fstat(fileno(stdout), &status))
    return 3;
  int caught = 0;
  std::thread other([&] {
    try {
      throw std::runtime_error("on a thread");
    } catch (const std::exception &) {
      ++caught;
    }
  });
  other.join();
  // A wait for a mutex ends at its time, neither at once nor never.
  std::timed_mutex mutex;
  mutex.lock();
  std::chrono::steady_clock::duration waited{};
  std::thread waiting([&] {
    auto start = std::chrono::steady_clock::now();
    caught += mutex.try_lock_for(std::chrono::milliseconds(30));
    waited = std::chrono::steady_clock::now() - start;
  });
  waiting.join();
  mutex.unlock();
  if (waited < std::chrono::milliseconds(30) ||
      waited > std::chrono::seconds(20))
    return 5;
  std::random_device device;
  bool differs = false;
  unsigned first = device();
  for (int i = 0; i < 8; ++i)
    differs |= device() != first;
  if (dlsym(dlopen(nullptr, RTLD_NOW), "nothing"))
    return 4;
  std::printf("caught %d, random %d, power %g, memory %d\n", caught, differs,
              std::pow(2.0, argc), mallinfo2().arena > 0);
  return 0;
}
