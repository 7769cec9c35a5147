/// The amounts of a chart, the newest first. Its cells hold nothing but numbers, so they need less markup than those of a ``Table``.
struct AmountTable: MustacheParent {
    let chart: Chart
    /// The buckets of this page of the table.
    let indices: Range<Int>
    /// The links to the pages before and after.
    let pages: Table

    /// Sums make sense of parts only.
    private var hasSum: Bool { chart.shape == .bars && chart.series.count > 1 }

    private struct Row: MustacheParent {
        let name: String
        let note: String?
        let amounts: [String]

        func child(named name: String) -> Any? {
            switch name {
            case "name": self.name
            case "note": note ?? false
            case "amounts": amounts
            default: nil
            }
        }
    }

    private var rows: [Row] {
        indices.reversed().map { index in
            var amounts = chart.series.map(\.amounts[index])
            if hasSum { amounts.append(chart.sum(index)) }
            let isOpen = chart.isOpen && index == chart.buckets.count - 1
            return Row(
                name: chart.buckets[index].name, note: isOpen ? chart.words("chart.open") : nil,
                amounts: amounts.map { $0.map(Chart.grouped) ?? "–" })
        }
    }

    func child(named name: String) -> Any? {
        switch name {
        case "caption": chart.title
        case "columns": [chart.unit] + chart.series.map(\.name) + (hasSum ? [chart.words("chart.sum")] : [])
        case "rows": rows
        case "pages": pages
        default: nil
        }
    }

    static let template = Template(
        "amounts",
        """
        <div class="scroll" tabindex="0" role="region" aria-label="{{caption}}"><table class="amounts"><caption>{{caption}}</caption><thead><tr>{{#columns}}<th scope="col"><bdi>{{.}}</bdi></th>{{/columns}}</tr></thead><tbody>
        {{#rows}}<tr><td>{{name}}{{#note}} <small>{{.}}</small>{{/note}}</td>{{#amounts}}<td>{{.}}</td>{{/amounts}}</tr>
        {{/rows}}</tbody></table></div>{{#pages}}{{> pages}}{{/pages}}
        """)
}
