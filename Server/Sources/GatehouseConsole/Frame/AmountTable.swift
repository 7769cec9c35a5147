import GatehouseHTML

/// The amounts of a chart, the newest first. Its cells hold nothing but numbers, so they need less markup than those of a ``Table``.
struct AmountTable: HTMLPart, Markup {
    let chart: Chart
    /// The buckets of this page of the table.
    let indices: Range<Int>
    let pager: Pager

    /// Sums make sense of parts only.
    private var hasSum: Bool { chart.shape == .bars && chart.series.count > 1 }

    private var columns: [String] {
        [chart.unit] + chart.series.map(\.name) + (hasSum ? [chart.words("chart.sum")] : [])
    }

    @HTMLBuilder var html: HTML {
        scroll(chart.title) {
            table(.class("amounts")) {
                caption { chart.title }
                thead {
                    tr {
                        for column in columns {
                            th(Attribute("scope", "col")) { bdi { column } }
                        }
                    }
                }
                tbody { for index in indices.reversed() { row(index) } }
            }
        }
        pager
    }

    private func row(_ index: Int) -> HTML {
        let amounts = chart.series.map(\.amounts[index]) + (hasSum ? [chart.sum(index)] : [])
        return tr {
            td {
                if let address = chart.buckets[index].address {
                    a(.href(address)) { chart.buckets[index].name }
                } else {
                    chart.buckets[index].name
                }
                if chart.isOpen, index == chart.buckets.count - 1 {
                    " "
                    small { chart.words("chart.open") }
                }
            }
            for amount in amounts { td { amount.map(Chart.grouped) ?? "–" } }
        }
    }
}
