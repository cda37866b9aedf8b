#include "mailbox/packed.hpp"

#include <zstd.h>

#include <memory>

#include "mailbox/coding.hpp"

namespace muhur::mailbox {
namespace {

constexpr int kLevel = 2;                 // mail is small: higher levels cost time and win a few percent
constexpr std::size_t kWorthTrying = 96;  // below it a frame's own bytes eat what is won
enum Method : std::uint8_t { kPlain = 0, kZstd = 1 };

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

ZSTD_CCtx* compressor() {
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  return context.get();
}

ZSTD_DCtx* decompressor() {
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  return context.get();
}

Bytes head_of(Method method, std::size_t plain_size) {
  Writer head;
  head.u8(method);
  head.varint(plain_size);
  return head.take();
}

}  // namespace

Bytes pack(ByteView plain) {
  if (plain.size() >= kWorthTrying) {
    Bytes out = head_of(kZstd, plain.size());
    const std::size_t head = out.size();
    // Less than the plain bytes by a sixteenth, or it is not worth undoing at every read.
    const std::size_t room = plain.size() - plain.size() / 16;
    out.resize(head + room);
    const std::size_t size =
        ZSTD_compressCCtx(compressor(), out.data() + head, room, plain.data(), plain.size(), kLevel);
    if (!ZSTD_isError(size)) {
      out.resize(head + size);
      return out;
    }
  }
  Bytes out = head_of(kPlain, plain.size());
  out.insert(out.end(), plain.begin(), plain.end());
  return out;
}

std::optional<std::string> unpack(ByteView packed, std::size_t max_plain) {
  Reader reader(packed);
  const std::uint8_t method = reader.u8();
  const std::size_t size = reader.varint(max_plain);
  if (!reader.ok()) return std::nullopt;
  const ByteView bytes = reader.rest();
  if (method == kPlain) {
    if (bytes.size() != size) return std::nullopt;
    return std::string(as_text(bytes));
  }
  if (method != kZstd) return std::nullopt;
  std::string plain;
  plain.resize_and_overwrite(size, [&](char* at, std::size_t room) {
    const std::size_t got = ZSTD_decompressDCtx(decompressor(), at, room, bytes.data(), bytes.size());
    return ZSTD_isError(got) ? 0 : got;
  });
  if (plain.size() != size) return std::nullopt;
  return plain;
}

}  // namespace muhur::mailbox
