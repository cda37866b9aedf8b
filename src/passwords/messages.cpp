// Integers are big-endian; `bytes` is a u16 length and that many bytes.
//   verify   u8 1 | u32 limit, ms | bytes record | bytes password
//   hash     u8 2 | u32 limit, ms | u32 memory, KiB | u32 passes | bytes password
//   health   u8 3
//   reply    u8 1 | u8 right | bytes kek        u8 2 | bytes record
//            u8 3 | u32 threads | u32 waiting | u32 running | u64 done
//            u8 0 | u8 code | bytes what | bytes remedy
#include "passwords/messages.hpp"

#include "passwords/rules.hpp"

namespace muhur::passwords {
namespace {

constexpr Byte kError = 0, kVerify = 1, kHash = 2, kHealth = 3;
constexpr std::size_t kMostRecord = 512;
constexpr std::size_t kMostText = 512;
constexpr std::size_t kMostKek = 64;
constexpr std::uint32_t kLeastMemoryKib = 8, kMostMemoryKib = 1U << 20, kMostPasses = 64;

// Writes what fits into a Secret of known size.
class Out {
 public:
  explicit Out(std::size_t size) : bytes_(size) {}
  Out& u8(Byte value) {
    bytes_.writable()[at_++] = value;
    return *this;
  }
  Out& u32(std::uint32_t value) {
    store_be32(bytes_.writable().data() + at_, value);
    at_ += 4;
    return *this;
  }
  Out& u64(std::uint64_t value) {
    store_be64(bytes_.writable().data() + at_, value);
    at_ += 8;
    return *this;
  }
  Out& bytes(ByteView value) {
    store_be16(bytes_.writable().data() + at_, static_cast<std::uint16_t>(value.size()));
    std::copy(value.begin(), value.end(), bytes_.writable().data() + at_ + 2);
    at_ += 2 + value.size();
    return *this;
  }
  Secret take() { return std::move(bytes_); }

 private:
  Secret bytes_;
  std::size_t at_ = 0;
};

// Reads; after a read beyond the end everything is empty and ok() false.
class In {
 public:
  explicit In(ByteView bytes) : rest_(bytes) {}
  Byte u8() {
    const ByteView b = take(1);
    return b.empty() ? Byte{0} : b[0];
  }
  std::uint32_t u32() {
    const ByteView b = take(4);
    return b.empty() ? 0 : load_be32(b.data());
  }
  std::uint64_t u64() {
    const ByteView b = take(8);
    return b.empty() ? 0 : load_be64(b.data());
  }
  ByteView bytes(std::size_t most) {
    const ByteView size = take(2);
    if (size.empty()) return {};
    const std::size_t wanted = load_be16(size.data());
    if (wanted > most) ok_ = false;
    return ok_ ? take(wanted) : ByteView{};
  }
  bool done() const { return ok_ && rest_.empty(); }

 private:
  ByteView take(std::size_t size) {
    if (!ok_ || size > rest_.size()) {
      ok_ = false;
      return {};
    }
    const ByteView taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }
  ByteView rest_;
  bool ok_ = true;
};

std::unexpected<Error> unreadable() {
  return fail(Code::invalid, "a worker's message cannot be read", "Run the same version of Muhur on both");
}

std::uint32_t to_wire(std::chrono::milliseconds limit) {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(limit.count(), 0, UINT32_MAX));
}

// The error that a reply is, if it is one and well-formed.
std::optional<Error> error_in(ByteView bytes) {
  In in(bytes);
  if (in.u8() != kError) return std::nullopt;
  const Byte code = in.u8();
  const ByteView what = in.bytes(kMostText), remedy = in.bytes(kMostText);
  if (!in.done() || code > static_cast<Byte>(Code::internal)) return std::nullopt;
  return Error{static_cast<Code>(code), to_string(what), to_string(remedy)};
}

}  // namespace

Secret encode(const VerifyCall& call) {
  Out out(1 + 4 + 2 + call.record.size() + 2 + call.password.size());
  out.u8(kVerify).u32(to_wire(call.limit)).bytes(as_bytes(call.record)).bytes(call.password.view());
  return out.take();
}

Secret encode(const HashCall& call) {
  Out out(1 + 4 + 4 + 4 + 2 + call.password.size());
  out.u8(kHash).u32(to_wire(call.limit)).u32(call.cost.memory_kib).u32(call.cost.passes);
  return out.bytes(call.password.view()).take();
}

Secret encode_health_call() { return Out(1).u8(kHealth).take(); }

Result<VerifyCall> decode_verify_call(ByteView bytes) {
  In in(bytes);
  const Byte kind = in.u8();
  VerifyCall call;
  call.limit = std::chrono::milliseconds(in.u32());
  call.record = to_string(in.bytes(kMostRecord));
  call.password = Secret(in.bytes(kMaxPasswordBytes));
  if (kind != kVerify || !in.done()) return unreadable();
  return call;
}

Result<HashCall> decode_hash_call(ByteView bytes) {
  In in(bytes);
  const Byte kind = in.u8();
  HashCall call;
  call.limit = std::chrono::milliseconds(in.u32());
  call.cost.memory_kib = in.u32();
  call.cost.passes = in.u32();
  call.password = Secret(in.bytes(kMaxPasswordBytes));
  if (kind != kHash || !in.done()) return unreadable();
  if (call.cost.memory_kib < kLeastMemoryKib || call.cost.memory_kib > kMostMemoryKib ||
      call.cost.passes < 1 || call.cost.passes > kMostPasses)
    return unreadable();
  return call;
}

Result<void> decode_health_call(ByteView bytes) {
  if (bytes.size() != 1 || bytes[0] != kHealth) return unreadable();
  return {};
}

Secret encode(const Verdict& verdict) {
  Out out(1 + 1 + 2 + verdict.kek.size());
  return out.u8(kVerify).u8(verdict.right ? 1 : 0).bytes(verdict.kek.view()).take();
}

Secret encode_text(std::string_view text) {
  return Out(1 + 2 + text.size()).u8(kHash).bytes(as_bytes(text)).take();
}

Secret encode(const Health& health) {
  Out out(1 + 3 * 4 + 8);
  out.u8(kHealth).u32(health.threads).u32(health.waiting).u32(health.running).u64(health.done);
  return out.take();
}

Secret encode(const Error& error) {
  const ByteView what = as_bytes(std::string_view(error.what).substr(0, kMostText));
  const ByteView remedy = as_bytes(std::string_view(error.remedy).substr(0, kMostText));
  Out out(1 + 1 + 2 + what.size() + 2 + remedy.size());
  return out.u8(kError).u8(static_cast<Byte>(error.code)).bytes(what).bytes(remedy).take();
}

Result<Answer<Verdict>> decode_verdict(ByteView bytes) {
  if (auto error = error_in(bytes)) return Answer<Verdict>{{}, std::move(error)};
  In in(bytes);
  const Byte kind = in.u8(), right = in.u8();
  Verdict verdict{right == 1, Secret(in.bytes(kMostKek))};
  if (kind != kVerify || right > 1 || !in.done()) return unreadable();
  return Answer<Verdict>{std::move(verdict), {}};
}

Result<Answer<std::string>> decode_text(ByteView bytes) {
  if (auto error = error_in(bytes)) return Answer<std::string>{{}, std::move(error)};
  In in(bytes);
  const Byte kind = in.u8();
  std::string text = to_string(in.bytes(kMostRecord));
  if (kind != kHash || !in.done()) return unreadable();
  return Answer<std::string>{std::move(text), {}};
}

Result<Answer<Health>> decode_health(ByteView bytes) {
  if (auto error = error_in(bytes)) return Answer<Health>{{}, std::move(error)};
  In in(bytes);
  const Byte kind = in.u8();
  Health health;
  health.threads = in.u32();
  health.waiting = in.u32();
  health.running = in.u32();
  health.done = in.u64();
  if (kind != kHealth || !in.done()) return unreadable();
  return Answer<Health>{health, {}};
}

}  // namespace muhur::passwords
