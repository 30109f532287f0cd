//===- Child.cpp - Work in a process of its own ---------------------------===//
//
// Part of the onnxc project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compile cannot be stopped from within at any moment: a pass, or LLVM's code
// generator, runs for seconds and holds locks and memory. A process can. It is
// a fork rather than a command: there is no program to be found, and no LLVM to
// be loaded. What comes back through a pipe are records: a letter, the number
// of bytes, and these.
//
// The child has one thread, and of Python nothing but memory that it does not
// touch: that the parent has other threads does no harm, as long as none of
// them is in LLVM (lockCompiler), and the allocator's locks are glibc's to care
// for.
//
//===----------------------------------------------------------------------===//

#include "Child.h"

#include "Driver.h"
#include "Guard.h"

#include "onnxc/Pipelines/Compile.h"
#include "onnxc/Pipelines/Registration.h"
#include "onnxc/Support/Diagnostics.h"
#include "onnxc/Support/OutputFile.h"

#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/thread.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace onnxc;
using namespace onnxc::python;

using Work =
    llvm::function_ref<llvm::LogicalResult(mlir::MLIRContext &, Announce)>;

namespace {

/// What a record is.
enum RecordKind : char {
  /// Some of the text of diagnostics.
  Diagnostics = 'd',
  /// What is done now.
  Doing = 'n',
  /// Why LLVM ends the process.
  Fatal = 'f',
  /// What the first error is about.
  Code = 'c',
  /// The work succeeded, or failed with or without words.
  Succeeded = 's',
  Explained = 'e',
  Silent = 'q',
};

/// The child's end of the pipe.
class Sender {
public:
  explicit Sender(int pipe) : pipe(pipe) {}

  void send(RecordKind kind, llvm::StringRef text = "") const {
    auto size = static_cast<uint32_t>(text.size());
    std::string record(1, kind);
    record.append(reinterpret_cast<const char *>(&size), sizeof size);
    record += text;
    for (size_t done = 0; done < record.size();) {
      ssize_t now = write(pipe, record.data() + done, record.size() - done);
      if (now < 0 && errno != EINTR)
        _exit(1); // The parent is gone.
      done += now > 0 ? static_cast<size_t>(now) : 0;
    }
  }

private:
  int pipe;
};

/// Sends on what diagnostics print, at once: a crash may follow.
class SenderStream : public llvm::raw_ostream {
public:
  explicit SenderStream(const Sender &sender)
      : raw_ostream(/*unbuffered=*/true), sender(sender) {}

private:
  void write_impl(const char *text, size_t size) override {
    sender.send(Diagnostics, llvm::StringRef(text, size));
    written += size;
  }
  uint64_t current_pos() const override { return written; }

  const Sender &sender;
  uint64_t written = 0;
};

/// The parent's end, and what has come out of it.
class Receiver {
public:
  explicit Receiver(int pipe) : pipe(pipe) {}
  Receiver(const Receiver &) = delete;
  ~Receiver() { close(pipe); }

  /// Waits a moment. False once the child has closed its end.
  bool receive(std::chrono::milliseconds patience) {
    pollfd wanted = {pipe, POLLIN, 0};
    if (poll(&wanted, 1, static_cast<int>(patience.count())) <= 0)
      return true;
    char bytes[4096];
    ssize_t count = read(pipe, bytes, sizeof bytes);
    if (count < 0)
      return errno == EINTR;
    pending.append(bytes, static_cast<size_t>(count));
    takeRecords();
    return count > 0;
  }

  std::string diagnostics, doing, fatal, code;
  /// Succeeded, Explained or Silent; nothing if the child crashed.
  char result = 0;

private:
  void takeRecords() {
    uint32_t size = 0;
    size_t done = 0;
    while (pending.size() - done > sizeof size) {
      std::memcpy(&size, pending.data() + done + 1, sizeof size);
      size_t whole = 1 + sizeof size + size;
      if (pending.size() - done < whole)
        break;
      take(pending[done], pending.substr(done + 1 + sizeof size, size));
      done += whole;
    }
    pending.erase(0, done);
  }

  void take(char kind, std::string text) {
    if (kind == Diagnostics)
      diagnostics += text;
    else if (kind == Doing)
      doing = std::move(text);
    else if (kind == Fatal)
      fatal = std::move(text);
    else if (kind == Code)
      code = std::move(text);
    else
      result = kind;
  }

  int pipe;
  std::string pending;
};

} // namespace

//===----------------------------------------------------------------------===//
// The child
//===----------------------------------------------------------------------===//

/// Python's handlers of signals are not for this process. Ctrl-C reaches both
/// of them, and what it means is the parent's to decide.
static void takeSignals() {
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction now;
    if (sigaction(number, nullptr, &now) == 0 &&
        (now.sa_handler != SIG_IGN || number == SIGTERM))
      std::signal(number, SIG_DFL);
  }
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGINT);
  pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
}

/// Sockets and pipes of the parent would stay open as long as this process.
/// Moves `pipe` in front of them.
static int closeOthers(int pipe) {
  constexpr int kept = STDERR_FILENO + 1;
  if (pipe != kept) {
    dup2(pipe, kept);
    fcntl(kept, F_SETFD, FD_CLOEXEC);
  }
  // Where the system does not know it, they do stay open.
  syscall(SYS_close_range, kept + 1, ~0u, 0);
  return kept;
}

static void onFatalError(void *sender, const char *reason, bool) {
  static_cast<const Sender *>(sender)->send(Fatal, reason);
  llvm::sys::RunInterruptHandlers();
  _exit(1);
}

[[noreturn]] static void runAsChild(int pipe, pid_t parent, Work work,
                                    const std::string &scratch) {
  takeSignals();
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent)
    _exit(1);
  llvm::sys::Process::PreventCoreFiles();
  setenv("TMPDIR", scratch.c_str(), /*overwrite=*/1);
  Sender sender(closeOthers(pipe));
  llvm::install_fatal_error_handler(onFatalError, &sender);
  auto run = [&] {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    // The stack of this thread is deep enough; others have not such.
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    context.printOpOnDiagnostic(false);
    SenderStream os(sender);
    DiagnosticPrinter printer(&context, os, getOnnxWording());
    FirstErrorCode first(&context, getOnnxWording());
    bool succeeded = llvm::succeeded(work(
        context, [&](const std::string &doing) { sender.send(Doing, doing); }));
    sender.send(Code, first.getName());
    sender.send(succeeded            ? Succeeded
                : printer.hadError() ? Explained
                                     : Silent);
    // The process ends before the thread does. Nothing of the parent's is to be
    // destroyed here, and a thread that ends under AddressSanitizer unmaps its
    // alternate signal stack, which LLVM has replaced by one of the heap
    // wherever it found the sanitizer's too small.
    _exit(0);
  };
  llvm::thread thread(std::optional<unsigned>(stackBytes), run);
  thread.join();
  llvm_unreachable("the thread ends the process");
}

//===----------------------------------------------------------------------===//
// The parent
//===----------------------------------------------------------------------===//

static pid_t startChild(int (&ends)[2], Work work, const std::string &scratch,
                        const std::function<bool()> &isInterrupted) {
  CompilerLock lock = lockCompiler(isInterrupted);
  pid_t parent = getpid();
  // The child takes signals when its handlers are its own.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t child = fork();
  if (child == 0)
    runAsChild(ends[1], parent, work, scratch);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return child;
}

/// How the child ended; 0 if another part of the program has asked before.
static int waitFor(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return 0;
  return status;
}

/// Lets the child remove its files, but not take long over it; one of its
/// threads may create another one meanwhile.
static void stop(pid_t child, Receiver &receiver) {
  using namespace std::chrono;
  kill(child, SIGTERM);
  auto end = steady_clock::now() + seconds(1);
  while (receiver.receive(milliseconds(10)) && steady_clock::now() < end)
    continue;
  kill(child, SIGKILL);
  waitFor(child);
}

/// The text of a child's end that was not its own choice.
static std::string describeCrash(const Receiver &receiver, int status) {
  std::string how = !receiver.fatal.empty() ? ": " + receiver.fatal
                    : WIFSIGNALED(status)
                        ? " with signal " + std::to_string(WTERMSIG(status))
                        : "";
  return receiver.diagnostics + receiver.doing + " crashed" + how +
         "; that is an error of onnxc";
}

std::string
onnxc::python::runInChild(Work work, const std::string &output,
                          const std::string &scratch,
                          const std::function<bool()> &isInterrupted) {
  prepareCompiler();
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0)
    throw Error(std::string("a compile needs a pipe: ") + std::strerror(errno));
  pid_t child = -1;
  try {
    child = startChild(ends, work, scratch, isInterrupted);
  } catch (...) {
    close(ends[0]);
    close(ends[1]);
    throw;
  }
  int error = errno;
  close(ends[1]);
  Receiver receiver(ends[0]);
  if (child < 0)
    throw Error(std::string("a compile needs a process of its own: ") +
                std::strerror(error));
  while (receiver.receive(std::chrono::milliseconds(100)))
    if (isInterrupted()) {
      stop(child, receiver);
      removeUnfinished(output, child);
      throw Interrupted();
    }
  int status = waitFor(child);
  if (!receiver.result) {
    removeUnfinished(output, child);
    throw makeError(FindingCode::InternalError,
                    describeCrash(receiver, status));
  }
  if (receiver.result == Silent)
    throw makeError(FindingCode::InternalError,
                    receiver.diagnostics + receiver.doing +
                        " failed without a message; that is an error of onnxc");
  std::string text = llvm::StringRef(receiver.diagnostics).rtrim().str();
  if (receiver.result == Explained)
    throw Error(text, receiver.code);
  return text;
}
