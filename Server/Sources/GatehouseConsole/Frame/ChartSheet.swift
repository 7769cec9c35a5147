import GatehouseHTML

/// The charts of one page, and what they share: patterns and axes, each written once.
struct ChartSheet {
    private(set) var charts: [Chart]
    private(set) var axes: [ChartAxis] = []

    init(_ charts: [Chart]) {
        self.charts = charts
        for index in charts.indices where charts[index].hasNumbers {
            var axis = ChartAxis(charts[index])
            let known = axes.first { other in
                axis.id = other.id
                return axis == other
            }
            if known == nil {
                axis.id = "a\(axes.count)"
                axes.append(axis)
            }
            self.charts[index].axis = axis
        }
    }

    /// The styles that the charts have.
    private var styles: [Int] {
        let used = Set(charts.filter(\.hasNumbers).flatMap { chart in chart.series.map(\.style) })
        return (0..<ProviderColor.count).filter(used.contains)
    }
}

extension ChartSheet: HTMLPart, Markup {
    /// What the charts refer to.
    var html: HTML {
        svg(.class("hidden"), .ariaHidden) {
            defs {
                pattern(.id("s"), .width("8"), .height("8"), Attribute("patternUnits", "userSpaceOnUse")) {}
                rect(.id("sr"), .width("8"), .height("8"), .fill("currentColor"))
                // Areas are solid; the style sheet takes the patterns for those who need more than colours.
                for style in styles {
                    pattern(.id("s\(style)"), .class("s\(style)"), .href("#s")) {
                        use(.href("#sr"))
                        if let lines = ChartPatterns.path(of: style) { path(.class("over"), .d(lines)) }
                    }
                }
                pattern(.id("s-open"), .width("6"), .height("6"), Attribute("patternUnits", "userSpaceOnUse")) {
                    rect(.class("pale"), .width("6"), .height("6"))
                }
                for axis in axes { axis }
            }
        }
    }
}
