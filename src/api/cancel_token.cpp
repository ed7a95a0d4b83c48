#include "api/cancel_token.h"
#include "api/guard.h"

using namespace nereus;
using namespace nereus::api;

extern "C" {
nereus_status* nereus_cancel_token_create(nereus_cancel_token** out_token) {
    return at_the_edge([&]() -> Status {
        TRY(given(out_token, "out_token"));
        *out_token = std::make_unique<nereus_cancel_token>().release();
        return {};
    });
}
void nereus_cancel_token_trigger(nereus_cancel_token* token) {
    if (token) token->triggered.store(1, std::memory_order_relaxed);
}
void nereus_cancel_token_reset(nereus_cancel_token* token) {
    if (token) token->triggered.store(0, std::memory_order_relaxed);
}
int nereus_cancel_token_triggered(const nereus_cancel_token* token) {
    return token && token->triggered.load(std::memory_order_relaxed) != 0 ? 1 : 0;
}
nereus_cancel_token* nereus_cancel_token_retain(const nereus_cancel_token* token) {
    if (token) token->owners.fetch_add(1, std::memory_order_relaxed);
    return const_cast<nereus_cancel_token*>(token);
}
void nereus_cancel_token_release(nereus_cancel_token* token) {
    if (token && token->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) std::unique_ptr<nereus_cancel_token> last(token);
}
} // extern "C"
