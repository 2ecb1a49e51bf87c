// SPDX-License-Identifier: BSD-3-Clause
#include <topowise/report/style.hpp>

namespace topowise {
namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --ink: #1d2329; --soft: #55606b; --paper: #fff; --raised: #f5f7f9; --line: #cfd6dd; --before: #b84f00; --after: #0068a8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ec; --soft: #a9b3bd; --paper: #14181c; --raised: #1e242a; --line: #3c4650; --before: #f0a03c; --after: #62b5f5; }
}
* { box-sizing: border-box }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 1180px; margin: 0 auto; padding: 1.5em 1em 3em; overflow-wrap: break-word }
h1 { font-size: 1.7em; line-height: 1.2; margin: .2em 0 .4em } h2 { font-size: 1.2em; margin: 2em 0 .5em; padding-top: .6em; border-top: 1px solid var(--line) } p { max-width: 50em; margin: .5em 0 }
figure { margin: 1em 0 } figcaption, caption, .soft { font-size: .9em; color: var(--soft); text-align: left; max-width: 60em } caption { padding-bottom: .4em }
.worth { font-size: 1.15em; font-weight: 600 } .words { margin: .3em 0; padding: 0; list-style: none }
.columns { display: flex; flex-wrap: wrap; gap: 0 3em } .columns > section { flex: 1 1 28em; min-width: 0 }
.row { display: flex; flex-wrap: wrap; gap: 1em 2em } .row > * { flex: 0 1 auto; min-width: 0; max-width: 100% }
.scroll { overflow-x: auto; max-width: 100% } .scroll:focus-visible { outline: 2px solid var(--after) }
svg { max-width: 100%; height: auto; display: block }
table { border-collapse: collapse; margin: .8em 0; font-variant-numeric: tabular-nums }
th, td { text-align: left; vertical-align: top; padding: .25em 1em .25em 0; border-bottom: 1px solid var(--line) } th { font-weight: 600 } .number { text-align: right } th, td:not(:last-child) { white-space: nowrap } td.number { white-space: nowrap } td:last-child { overflow-wrap: anywhere }
pre, code { font: 13px/1.45 ui-monospace, monospace } pre { background: var(--raised); padding: .6em .8em; margin: .4em 0 1em; overflow-x: auto; border-radius: 4px }
details { border: 1px solid var(--line); border-radius: 4px; margin: .4em 0; padding: .3em .8em } summary { cursor: pointer; padding: .15em 0 } details[open] > summary { margin-bottom: .5em }
.legend { display: flex; flex-wrap: wrap; gap: .2em 1.4em; margin: .4em 0; padding: 0; list-style: none; font-size: .9em }
.swatch { display: inline-block; width: 1.1em; height: .8em; margin-right: .4em; border: 1px solid var(--ink) } .swatch.before { background: var(--before) } .swatch.after { background: var(--after) }
svg text { fill: var(--ink); font: 12px system-ui, sans-serif } svg text.small { font-size: 10.5px; fill: var(--soft) } svg text.strong { font-weight: 600 }
.before { fill: var(--before) } .after { fill: var(--after) }
.frame { fill: none; stroke: var(--line) } .block { fill: none; stroke: var(--soft); stroke-width: .8 }
.place { fill: var(--raised); stroke: var(--after); stroke-width: 1.5 } .inner { fill: var(--paper); stroke: var(--soft) }
.free { fill: var(--paper); stroke: var(--soft); stroke-dasharray: 3 3 }
.side { display: none }
path { fill: none } path.before { fill: none; stroke: var(--before) } path.after { fill: none; stroke: var(--after) } path.idle { stroke: var(--line) }
@media screen and (max-width: 640px) {
  .broad { display: none } .side { display: block } body { padding: 1em .6em 2em } pre { white-space: pre-wrap; overflow-wrap: anywhere } table { font-size: .74em; line-height: 1.35 }
  th, td, td.number, th:not(:last-child), td:not(:last-child) { white-space: normal; overflow-wrap: break-word; padding-right: .6em } td:last-child { overflow-wrap: anywhere }
}
@media print {
  @page { size: A4; margin: 9mm 11mm }
  :root { color-scheme: light; --ink: #000; --soft: #444; --paper: #fff; --raised: #f5f7f9; --line: #bbb; --before: #b84f00; --after: #0068a8 }
  body { font-size: 8.3pt; line-height: 1.27; padding: 0; max-width: none } h1 { font-size: 15pt } h2 { font-size: 11pt; margin: 1em 0 .3em; break-after: avoid }
  figure { margin: .4em 0 } figure .scroll { break-inside: avoid } tr { break-inside: avoid } th, td { padding: .08em .7em .08em 0 }
  .row { gap: .3em 1em } .pair .row { flex-wrap: nowrap } .scroll { overflow: visible } .pair svg { width: 64mm } .bars svg { width: 84mm; max-height: 60mm } .wires svg { max-height: 52mm } .places svg { max-height: 84mm } .small .row { flex-wrap: nowrap } .small .scroll { flex: 1 1 0 } table { margin: .3em 0; font-size: 7.5pt; line-height: 1.2 } pre { margin: .2em 0 .4em; padding: .2em .4em; white-space: pre-wrap; font-size: 7.5pt }
  svg { min-width: 0 !important; print-color-adjust: exact; -webkit-print-color-adjust: exact }
  .columns { flex-wrap: nowrap; gap: 2em } .columns > section { flex: 1 1 0 } .columns h2 { margin-top: .4em }
  details { border: 0; padding: 0; margin: 0 } details:not([open]), .each, .screen { display: none } details[open] > summary { margin: 0 } .swatch { print-color-adjust: exact; -webkit-print-color-adjust: exact }
}
)";

}  // namespace

std::string_view page_style() {
  return kStyle;
}

}  // namespace topowise
