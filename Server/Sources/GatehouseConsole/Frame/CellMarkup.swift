import GatehouseHTML

/// The markup of a cell. A cell has no elements for methods itself, because its `code` and its `time` are cells.
struct CellMarkup: Markup {
    let cell: Cell
    let isInRow: Bool
    /// Whether the moment takes the focus, because nothing else in its row does.
    var hasFocus = false

    @HTMLBuilder var html: HTML {
        if let content = cell.content {
            content
        } else if let badge = cell.badge {
            span(.class("badge", badge)) { linked }
        } else {
            linked
        }
        if let distance = isInRow ? nil : cell.time?.relative { note(distance) }
        if let note = cell.note { self.note(note) }
    }

    @HTMLBuilder private func note(_ text: String) -> HTML {
        " "
        small { text }
    }

    @HTMLBuilder private var linked: HTML {
        if let provider = cell.provider { ProviderMark(provider) }
        if let address = cell.link {
            a(.href(address)) { value }
        } else {
            value
        }
    }

    @HTMLBuilder private var value: HTML {
        if let time = cell.time {
            if isInRow {
                HTML.element(
                    "time", Attribute("datetime", time.machine), .title(time.whole),
                    Attribute("tabindex", hasFocus ? "0" : nil)
                ) { time.relative }
            } else {
                HTML.element("time", Attribute("datetime", time.machine), .title(time.universal)) {
                    // A narrow column may break between the day and the time, and nowhere else.
                    String(cell.text[..<endOfDay])
                    wbr
                    String(cell.text[endOfDay...])
                }
            }
        } else if cell.isCode {
            // The style isolates it, as it does each id.
            code { cell.text }
        } else {
            text
        }
    }

    @HTMLBuilder private var text: HTML {
        if cell.badge == nil {
            bdi { cell.text }
        } else {
            cell.text
        }
    }

    private var endOfDay: String.Index { cell.text.utf8.firstIndex(of: UInt8(ascii: " ")) ?? cell.text.endIndex }
}
