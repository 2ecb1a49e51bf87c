// SPDX-License-Identifier: BSD-3-Clause
// Source: Martinasso et al. (SC'16), section IV-A, equations 1 to 3: between two events every message moves with a
// fixed congestion factor; an event is the start or the end of a message.
//
// A source sends one message at a time, first come, first served. When a message ends or starts, only those get new
// rates that share links with it, directly or in a chain. The others keep the time at which they will end. So an event
// costs the size of its component, and a heap of times finds the next one. The rates of a component are looked up by
// its flows, because exchanges go through few different active sets.
#include <topowise/predict/congestion/simulate.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <topowise/base/error.hpp>
#include <topowise/predict/congestion/congestion_model.hpp>
#include <topowise/predict/congestion/tolerance.hpp>

namespace topowise {
namespace {

// Which flow is on which link now, and which flows can feel a change.

/// The flows that are on the wires, at most one a port. Flows that share a link, directly or in a chain of others, are
/// a *component*; one component does not feel what happens in another.
class ActiveSet {
 public:
  explicit ActiveSet(const CongestionModel& model);

  /// Both mark the links of the flow as changed.
  void insert(std::uint32_t port, CongestionModel::Flow flow);
  void erase(std::uint32_t port);

  [[nodiscard]] bool active(std::uint32_t port) const { return flow_[port] != kNone; }
  [[nodiscard]] CongestionModel::Flow flow(std::uint32_t port) const { return flow_[port]; }

  /// Calls `visit(ports)` for every component with a changed link, ports ascending. Afterwards nothing counts as
  /// changed.
  template <class Visit>
  void for_each_changed(Visit visit) {
    ++round_;
    for (const std::uint32_t link : changed_) {
      if (seen_[link] == round_) continue;
      collect(link);
      if (!component_.empty()) visit(std::span<const std::uint32_t>(component_));
    }
    for (const std::uint32_t port : alone_) {
      if (flow_[port] != kNone) visit(std::span<const std::uint32_t>(&port, 1));
    }
    changed_.clear();
    alone_.clear();
  }

 private:
  static constexpr CongestionModel::Flow kNone = 0xffffffff;
  static constexpr std::int32_t kEnd = -1;
  struct Entry {
    std::int32_t previous = kEnd;
    std::int32_t next = kEnd;
  };
  void collect(std::uint32_t link);
  [[nodiscard]] std::size_t entry_of(std::uint32_t port, std::size_t hop) const { return port * longest_ + hop; }

  const CongestionModel& model_;
  std::size_t longest_ = 0;                  ///< links of the longest route
  std::vector<CongestionModel::Flow> flow_;  ///< by port
  std::vector<Entry> entries_;               ///< by port and hop: lists of the users of each link
  std::vector<std::int32_t> head_;           ///< by link: the first entry of its list
  std::vector<std::uint32_t> seen_;          ///< by link: the round in which it was last collected
  std::vector<std::uint32_t> taken_;         ///< by port: the round in which it was last collected
  std::vector<std::uint32_t> changed_;
  std::vector<std::uint32_t> alone_;  ///< changed ports whose flow has no link
  std::vector<std::uint32_t> component_;
  std::uint32_t round_ = 0;
};

ActiveSet::ActiveSet(const CongestionModel& model) : model_(model) {
  for (CongestionModel::Flow flow = 0; flow < model.flow_count(); ++flow)
    longest_ = std::max(longest_, model.links(flow).size());
  flow_.assign(model.port_count(), kNone);
  taken_.assign(model.port_count(), 0);
  entries_.resize(model.port_count() * longest_);
  head_.assign(model.link_count(), kEnd);
  seen_.assign(model.link_count(), 0);
}

void ActiveSet::insert(std::uint32_t port, CongestionModel::Flow flow) {
  flow_[port] = flow;
  const std::span<const std::uint32_t> links = model_.links(flow);
  for (std::size_t hop = 0; hop < links.size(); ++hop) {
    const std::size_t entry = entry_of(port, hop);
    std::int32_t& head = head_[links[hop]];
    entries_[entry] = {kEnd, head};
    if (head != kEnd) entries_[static_cast<std::size_t>(head)].previous = static_cast<std::int32_t>(entry);
    head = static_cast<std::int32_t>(entry);
  }
  if (links.empty()) {
    alone_.push_back(port);
  } else {
    changed_.push_back(links.front());
  }
}

void ActiveSet::erase(std::uint32_t port) {
  const std::span<const std::uint32_t> links = model_.links(flow_[port]);
  for (std::size_t hop = 0; hop < links.size(); ++hop) {
    const Entry entry = entries_[entry_of(port, hop)];
    if (entry.next != kEnd) entries_[static_cast<std::size_t>(entry.next)].previous = entry.previous;
    (entry.previous != kEnd ? entries_[static_cast<std::size_t>(entry.previous)].next : head_[links[hop]]) = entry.next;
    if (head_[links[hop]] != kEnd) changed_.push_back(links[hop]);
  }
  flow_[port] = kNone;
}

/// Collects the component that uses `link`, by a search over links and their users.
void ActiveSet::collect(std::uint32_t link) {
  component_.clear();
  const auto take_users = [this](std::uint32_t id) {
    seen_[id] = round_;
    for (std::int32_t entry = head_[id]; entry != kEnd; entry = entries_[static_cast<std::size_t>(entry)].next) {
      const auto port = static_cast<std::uint32_t>(static_cast<std::size_t>(entry) / longest_);
      if (taken_[port] == round_) continue;
      taken_[port] = round_;
      component_.push_back(port);
    }
  };
  take_users(link);
  for (std::size_t next = 0; next < component_.size(); ++next) {
    for (const std::uint32_t id : model_.links(flow_[component_[next]])) {
      if (seen_[id] != round_) take_users(id);
    }
  }
  std::ranges::sort(component_);
}

/// A message with less than this share of its size left has ended, so that messages which tie end together.
constexpr double kEnded = 1e-9;

constexpr std::uint32_t kNone = 0xffffffff;

struct Event {
  double time = 0;
  std::uint32_t port = 0;
  std::uint32_t version = 0;  ///< the port's version; an event with an older one is no longer valid
  friend bool operator>(const Event& a, const Event& b) {
    return a.time > b.time || (a.time == b.time && a.port > b.port);
  }
};

/// What a port does now: nothing, wait for the next start or the latency, or send.
struct Port {
  std::uint32_t next = 0, last = 0;  ///< its messages that have not begun: [next, last) of the queue order
  std::uint32_t current = kNone;     ///< the message that has begun
  std::uint32_t version = 0;
  double since = 0;  ///< when `left` was true
  double left = 0;   ///< bytes
  double rate = 0;   ///< bytes/s
};

class EventLoop {
 public:
  EventLoop(RateMemo& memo, const Exchange& exchange, const Mapping& mapping, RecordSteps record)
      : memo_(memo),
        messages_(exchange.communications()),
        flows_(find_flows(memo.model(), exchange, mapping)),
        active_(memo.model()),
        record_(record == RecordSteps::yes) {
    result_.begin.resize(messages_.size());
    result_.end.resize(messages_.size());
    make_queues();
  }

  Simulation run() && {
    for (std::uint32_t port = 0; port < ports_.size(); ++port) {
      if (ports_[port].next < ports_[port].last) wake(port, start_of(ports_[port].next));
    }
    while (!events_.empty()) {
      const double now = pop_valid().time;
      if (ready_.empty()) break;
      close_step(now);
      for (const std::uint32_t port : ready_) advance(port, now);
      ready_.clear();
      active_.for_each_changed([&](std::span<const std::uint32_t> ports) { update_rates(ports, now); });
      open_step(now);
    }
    check_all_ended();
    for (const Seconds end : result_.end) result_.makespan = std::max(result_.makespan, end);
    return std::move(result_);
  }

 private:
  static std::vector<std::uint32_t> find_flows(CongestionModel& model, const Exchange& exchange,
                                               const Mapping& mapping) {
    if (exchange.ranks() > mapping.ranks()) {
      throw bad_input(
          fmt::format("the exchange names rank {}, the mapping has {} ranks", exchange.ranks() - 1, mapping.ranks()));
    }
    std::vector<std::uint32_t> flows;
    for (const Communication& message : exchange.communications()) {
      const Place from = mapping[message.source];
      const Place to = mapping[message.destination];
      flows.push_back(from == to ? kNone : model.flow(from, to));
    }
    return flows;
  }

  void make_queues() {
    const std::size_t port_count = memo_.model().port_count();
    ports_.resize(port_count);
    for (std::uint32_t m = 0; m < messages_.size(); ++m) {
      if (flows_[m] == kNone) {  // a message inside one place uses no link and takes no time
        result_.begin[m] = result_.end[m] = messages_[m].start;
      } else {
        order_.push_back(m);
      }
    }
    const auto port_of = [this](std::uint32_t m) { return memo_.model().port(flows_[m]); };
    std::ranges::stable_sort(order_, [&](std::uint32_t a, std::uint32_t b) {
      const std::uint32_t port_a = port_of(a);
      const std::uint32_t port_b = port_of(b);
      return port_a != port_b ? port_a < port_b : messages_[a].start < messages_[b].start;
    });
    for (std::uint32_t at = 0; at < order_.size(); ++at) {
      Port& port = ports_[port_of(order_[at])];
      if (port.last == 0) port.next = at;
      port.last = at + 1;
    }
  }

  [[nodiscard]] double start_of(std::uint32_t at) const { return messages_[order_[at]].start.value(); }

  void push(Event event) {
    events_.push_back(event);
    std::ranges::push_heap(events_, std::greater<>());
  }
  void wake(std::uint32_t port, double time) { push({time, port, ++ports_[port].version}); }

  Event pop() {
    std::ranges::pop_heap(events_, std::greater<>());
    const Event event = events_.back();
    events_.pop_back();
    return event;
  }

  /// Takes the next event and puts all ports whose event ties with it into `ready_`. That stays empty if only events
  /// with old versions were left.
  Event pop_valid() {
    Event first;
    while (!events_.empty()) {
      const Event& top = events_.front();
      const Port& port = ports_[top.port];
      if (top.version != port.version) {
        pop();
        continue;
      }
      if (ready_.empty()) {
        first = top;
      } else if (top.time > first.time) {
        const bool sending = active_.active(top.port);
        if (!sending || (top.time - first.time) * port.rate > kEnded * messages_[port.current].bytes.value()) break;
      }
      ready_.push_back(top.port);
      pop();
    }
    return first;
  }

  /// Acts on the port's event: a message ends, a latency is over, or the next message may begin.
  void advance(std::uint32_t id, double now) {
    Port& port = ports_[id];
    if (port.current != kNone && !active_.active(id) && messages_[port.current].bytes.value() > 0) {
      put_on_wire(id, now);
      return;
    }
    if (port.current != kNone) end_current(id, now);
    while (port.next < port.last && start_of(port.next) <= now) {
      port.current = order_[port.next++];
      result_.begin[port.current] = Seconds(now);
      const double latency = memo_.model().latency(flows_[port.current]).value();
      if (latency > 0) {
        wake(id, now + latency);
        return;
      }
      if (messages_[port.current].bytes.value() > 0) {
        put_on_wire(id, now);
        return;
      }
      end_current(id, now);
    }
    if (port.next < port.last) wake(id, start_of(port.next));
  }

  void put_on_wire(std::uint32_t id, double now) {
    Port& port = ports_[id];
    port.since = now;
    port.left = messages_[port.current].bytes.value();
    port.rate = 0;
    active_.insert(id, flows_[port.current]);
  }

  void end_current(std::uint32_t id, double now) {
    Port& port = ports_[id];
    result_.end[port.current] = Seconds(now);
    if (active_.active(id)) active_.erase(id);
    port.current = kNone;
    ++port.version;
  }

  void update_rates(std::span<const std::uint32_t> ports, double now) {
    set_.clear();
    for (const std::uint32_t port : ports) set_.push_back(active_.flow(port));
    const std::span<const double> rates = memo_.rates(set_);
    for (std::size_t i = 0; i < ports.size(); ++i) {
      Port& port = ports_[ports[i]];
      if (rates[i] == port.rate) continue;
      port.left = std::max(0.0, port.left - (now - port.since) * port.rate);
      port.since = now;
      port.rate = rates[i];
      if (rates[i] > kTolerance * memo_.model().unit().value()) {
        wake(ports[i], now + port.left / port.rate);
      } else {
        ++port.version;
      }
    }
  }

  void open_step(double now) {
    ++result_.step_count;
    if (!record_) return;
    TimeStep step{Seconds(now), Seconds(now), {}};
    for (std::uint32_t port = 0; port < ports_.size(); ++port) {
      if (active_.active(port))
        step.factors.push_back({ports_[port].current, ports_[port].rate / memo_.model().unit().value()});
    }
    std::ranges::sort(step.factors, {}, &TimeStep::Factor::message);
    if (!step.factors.empty()) result_.steps.push_back(std::move(step));
    step_open_ = !result_.steps.empty() && result_.steps.back().start == Seconds(now);
  }

  void close_step(double now) {
    if (step_open_) result_.steps.back().end = Seconds(now);
  }

  void check_all_ended() const {
    for (const Port& port : ports_) {
      if (port.current == kNone) continue;
      const Communication& message = messages_[port.current];
      throw bad_input(fmt::format("the message from rank {} to rank {} never ends: {}", message.source.index(),
                                  message.destination.index(), stuck_at()),
                      "--tau with a smaller value");
    }
  }

  /// Names a port at which an active message gets nothing.
  [[nodiscard]] std::string stuck_at() const {
    std::vector<std::uint32_t> stretches;
    CongestionModel& model = memo_.model();
    for (std::uint32_t port = 0; port < ports_.size(); ++port) {
      if (!active_.active(port)) continue;
      const auto of_flow = model.stretches(active_.flow(port));
      stretches.insert(stretches.end(), of_flow.begin(), of_flow.end());
    }
    std::vector<double> factors(stretches.size());
    model.pcie().factors(stretches, factors);
    const PcieCongestion::Stages stages = model.pcie().stages();
    for (std::size_t c = 0; c < stretches.size(); ++c) {
      for (std::uint32_t hop = stages.first[c] + 1; hop < stages.first[c + 1]; ++hop) {
        if (stages.rho[hop] > kTolerance) continue;
        const std::uint32_t link = model.pcie().links(stretches[c])[hop - stages.first[c] - 1];
        return fmt::format("tau leaves it nothing at port '{}'", model.pcie().tree().name(link));
      }
    }
    return "all active messages wait for each other";
  }

  RateMemo& memo_;
  std::span<const Communication> messages_;
  std::vector<std::uint32_t> flows_;  ///< by message
  ActiveSet active_;
  bool record_;
  bool step_open_ = false;
  std::vector<std::uint32_t> order_;  ///< messages by port, start and position
  std::vector<Port> ports_;
  std::vector<Event> events_;  ///< a heap, the earliest first
  std::vector<std::uint32_t> ready_;
  std::vector<CongestionModel::Flow> set_;
  Simulation result_;
};

}  // namespace

Simulation simulate(RateMemo& memo, const Exchange& exchange, const Mapping& mapping, RecordSteps record) {
  return EventLoop(memo, exchange, mapping, record).run();
}

}  // namespace topowise
