#include "import/looks.h"

namespace nereus::onnx {
Result<Looks> Looks::make(const ModelFile& model, const TextOptions& options) {
    Looks made;
    if (options.taps.empty() && options.counted.empty()) return made;
    const Places& places = made.places_.emplace(model);
    made.out_of_.resize(size_t(places.size()));
    auto comes_out = [&](int from, int number) {
        for (int place = from; place >= 0; place = places[place].around) made.out_of_[size_t(place)].push_back(number);
    };
    for (const std::string& tap : options.taps) {
        made.taps_.push_back(TRY(places.find(tap)));
        comes_out(made.taps_.back().place, int(made.taps_.size()) - 1);
    }
    std::set<int> bodies;                              // with something to count, there or inside
    for (const std::string& counted : options.counted) {
        const Places::Value value = TRY(places.find(counted));
        made.counted_.insert({value.place, value.name});
        for (int place = value.place; place >= 0; place = places[place].around)
            if (places[place].kind != Place::Kind::call) bodies.insert(place);
    }
    for (int body : bodies) comes_out(body, made.counts_of(body));
    return made;
}

const std::vector<int>& Looks::out_of(int place) const {
    static const std::vector<int> none;
    return any() && place >= 0 ? out_of_[size_t(place)] : none;
}
std::vector<Looks::Tap> Looks::taps_in(int place) const {
    std::vector<Tap> in;
    for (size_t i = 0; i < taps_.size(); ++i)
        if (taps_[i].place == place) in.push_back({int(i), taps_[i].name});
    return in;
}
} // namespace nereus::onnx
