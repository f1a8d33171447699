// SPDX-License-Identifier: Apache-2.0
#include "fabric/fabric.hpp"

#include <new>

namespace skerry::inline SKERRY_ABI::fabric {

std::string_view name_of(kind k) noexcept { return k == kind::request ? "request" : "reply"; }

std::string failure::text() const {
    return "process " + std::to_string(peer) +
           (killed ? " was killed by signal " : " left the program with exit status ") + std::to_string(number);
}

not_available::not_available(std::string_view back_end, const char* what)
    : std::logic_error("skerry: the fabric '" + std::string(back_end) + what) {}

void memory_deleter::operator()(std::byte* begin) const noexcept {
    ::operator delete(begin, std::align_val_t{alignment});
}

memory endpoint::alloc(std::size_t bytes, std::size_t alignment) {
    void* const begin = ::operator new(bytes, std::align_val_t{alignment});
    return {static_cast<std::byte*>(begin), memory_deleter{alignment}};
}

void endpoint::copy(unsigned /*peer*/, direction /*way*/, std::span<const extent> /*extents*/, token /*done*/) {
    throw not_available(describe().name, "' has no bulk copy");
}

bool endpoint::fetch(unsigned /*peer*/, std::span<const extent> /*extents*/) {
    throw not_available(describe().name, "' has no fetch");
}

void endpoint::kick(unsigned /*peer*/) { throw not_available(describe().name, "' has no kick"); }

bool endpoint::nap(std::uint64_t /*deadline_ns*/) { throw not_available(describe().name, "' has no nap"); }

void endpoint::on_failure(const std::function<void(const failure&)>& /*handler*/) {
    throw not_available(describe().name, "' has no failure detection");
}

} // namespace skerry::inline SKERRY_ABI::fabric
