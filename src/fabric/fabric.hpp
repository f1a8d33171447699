// SPDX-License-Identifier: Apache-2.0
#pragma once

// How domains talk: 64-byte messages with credits, bulk copies whose completions are queued, kicks, and the news that a
// peer has died. One contract; each back end says in describe() what it has of it.
//
//   post(peer, kind, message) -> sent | full | gone        peer's poll() gives it to the receiver of peer
//   copy(peer, direction, extents, token)                  some poll() later, completed() gives the token back
//   fetch(peer, extents) -> whether all came               a pull that is over when the call is
//   kick(peer), wait(deadline)                             sleeping and waking
//   on_failure(handler)                                    poll() calls it once for each peer that died;
//                                                          processes as their launcher saw them end
//
// An endpoint is one domain's end of the fabric. Peers are numbered from 0; the endpoint itself is one of them, and may
// post to itself and copy from itself.
//
// Order: messages of one kind from A to B arrive in the order of their posts. Between kinds, between pairs and between
// messages and copies nothing is promised, but that a copy is complete before its token is given back; whoever sends
// a message after that tells of data that is there.
//
// Credits: each ordered pair has so many for requests and, apart from them, so many for replies. A post without credit
// changes nothing and says `full`. Whoever answers only with replies can always answer in the end: replies need that
// their receiver polls, never that anybody takes a request. What cannot be sent yet is the caller's to keep.
//
// Thread safety: one thread drives an endpoint at a time and calls everything but kick() and fetch(), which any thread
// may call. While one sleeps in wait() another may drive, if the first lets it have its turn. nap() is for the thread
// that would call wait(); others may drive.
// Re-entry: the receiver and the failure handler run inside poll(). They may call post, copy, fetch, kick and
// completed, and must not call poll or wait. Nothing else ever calls back, but wait(), which lends its caller's
// turn: post, copy, fetch, kick, nap and completed run no code of the caller, and a token is a value, not a
// function.
//
// Errors: what the back end lacks throws not_available, which names both. A wrong peer is a panic.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include <skerry/detail/base/abi.hpp>
#include <skerry/detail/base/cache_line.hpp>

namespace skerry::inline SKERRY_ABI::fabric {

inline constexpr std::size_t message_bytes = 64;
inline constexpr std::size_t message_words = 7;

// One cache line. The first word is half the fabric's: it crosses with the rest, so that one line moves per message.
struct alignas(detail::cache_line) message {
    std::uint32_t stamp = 0;    // the fabric's; post() pays no attention to it
    std::uint16_t sequence = 0; // likewise
    std::uint16_t tag = 0;      // the caller's: what the message is
    std::uint64_t words[message_words]{};
};
static_assert(sizeof(message) == message_bytes);

enum class kind : std::uint8_t { request, reply };
inline constexpr std::size_t kinds = 2;
std::string_view name_of(kind k) noexcept;

enum class post_result : std::uint8_t {
    sent,
    full, // no credit: poll, and try again
    gone, // the peer has left the fabric or died; nobody will ever take it
};

// Which way the bytes go, seen from the caller.
enum class direction : std::uint8_t { pull, push };

struct extent {
    void* here = nullptr;
    std::uint64_t there = 0; // an address in the peer's memory
    std::size_t bytes = 0;   // any number, 0 too; no alignment is asked for
};

// What the caller wants to hear again when an operation is over. The fabric does not look at it.
struct token {
    void* context = nullptr;
    std::uint64_t word = 0;
};

struct completion {
    token done;
    bool arrived = false; // false: the peer died or left before; what was copied so far is undefined
};

// How a peer ended that did not leave by itself.
struct failure {
    unsigned peer = 0;
    bool killed = false; // by a signal; else it exited
    int number = 0;      // the signal, or the exit status

    // "process 1 was killed by signal 9"
    [[nodiscard]] std::string text() const;
};

// Constant after construction.
struct capabilities {
    std::string_view name;
    unsigned self = 0;
    unsigned peers = 1;           // with self
    unsigned request_credits = 0; // per ordered pair
    unsigned reply_credits = 0;
    bool bulk_copy = false;
    bool copy_needs_peer = false;  // copies advance only while both sides poll; else that is so of memory closed there
    bool fetch = false;            // from every peer
    bool shared_addresses = false; // a peer's pointers can be followed
    bool kick = false;
    bool nap = false;
    bool failure_detection = false;
};

class not_available : public std::logic_error {
  public:
    // "skerry: the fabric 'threads' has no fetch"
    // `what` is "' has no fetch".
    not_available(std::string_view back_end, const char* what);
};

// Takes messages out of poll(). The message is valid during the call.
class receiver {
  public:
    virtual void receive(unsigned from, kind k, const message& m) = 0;

  protected:
    ~receiver() = default;
};

struct memory_deleter {
    std::size_t alignment = 1;
    void operator()(std::byte* begin) const noexcept;
};
using memory = std::unique_ptr<std::byte[], memory_deleter>;

// The right to drive, as the caller of wait() has it and lends it to others while it sleeps.
class turn {
  public:
    virtual void lend() noexcept = 0;
    virtual void take_back() noexcept = 0;

  protected:
    ~turn() = default;
};

class endpoint {
  public:
    virtual ~endpoint() = default; // leaves the fabric: peers' posts are `gone` from then on
    endpoint(const endpoint&) = delete;
    endpoint& operator=(const endpoint&) = delete;

    [[nodiscard]] virtual const capabilities& describe() const noexcept = 0;

    // Memory of this endpoint that both it and a peer's copy reach best. `alignment` is a power of two.
    // std::bad_alloc without memory.
    [[nodiscard]] virtual memory alloc(std::size_t bytes, std::size_t alignment);

    // Where messages go. Precondition: before the first poll(); `to` outlives the endpoint's use.
    virtual void on_message(receiver& to) = 0;

    // O(1). Wakes the peer if it sleeps in wait().
    [[nodiscard]] virtual post_result post(unsigned peer, kind k, const message& m) = 0;

    // Sends what post() may have held back to send it together with more; poll() and wait() do that, too. O(peers).
    virtual void flush() {}

    // Takes at most `budget` messages, replies first, moves bulk data, and reports failed peers. Returns the number of
    // messages and failures it handed over. A failed peer's messages come before its failure. An exception of the
    // receiver passes through; its message counts as taken. O(peers + budget).
    virtual std::size_t poll(std::size_t budget) = 0;

    // Begins a copy of all extents. The ranges on both sides stay valid and, the sources, unchanged until the token is
    // back. Any number of copies may be under way. Throws not_available, std::bad_alloc.
    virtual void copy(unsigned peer, direction way, std::span<const extent> extents, token done);

    // Copies all extents from the peer to here before it returns, whatever the peer and this endpoint's driver do. The
    // sources stay unchanged meanwhile. False: the peer has ended or lets nobody read there, and what was copied is
    // undefined. Any thread. Throws not_available.
    [[nodiscard]] virtual bool fetch(unsigned peer, std::span<const extent> extents);

    // The oldest token that has come back, if any. O(1).
    [[nodiscard]] virtual std::optional<completion> completed() = 0;

    // Has the peer's present or next wait() or nap() return true. Any thread. Throws not_available.
    virtual void kick(unsigned peer);

    // Sleeps until poll() or completed() has something to give, somebody kicked, a ring that was full has room again,
    // or a peer is gone: true. False: the deadline passed (port::now_ns(); port::forever for none). It cannot miss any
    // of these; without a deadline it lasts until one of them comes, and the death of a peer is one of them.
    // `mine`, unless it is null, is lent while it sleeps. Whoever drives meanwhile does not call wait(), and kicks if
    // left_over().
    virtual bool wait(std::uint64_t deadline_ns, turn* mine) = 0;
    bool wait(std::uint64_t deadline_ns) { return wait(deadline_ns, nullptr); }

    // Sleeps until somebody kicks or the deadline passes, whatever comes: for a thread that leaves the driving to
    // others for a while, and would call wait() else. True: a kick. Throws not_available.
    virtual bool nap(std::uint64_t deadline_ns);

    // Whether poll() is needed again though no peer does anything: copies go on, or a ring was full. O(peers).
    [[nodiscard]] virtual bool left_over() { return true; }

    // Leaves the fabric as the destructor does, for a process that is about to end without it. Nothing may be called
    // after that.
    virtual void leave() noexcept {}

    // Precondition: before the first poll(). Throws not_available.
    virtual void on_failure(const std::function<void(const failure&)>& handler);

  protected:
    endpoint() = default;
};

} // namespace skerry::inline SKERRY_ABI::fabric
