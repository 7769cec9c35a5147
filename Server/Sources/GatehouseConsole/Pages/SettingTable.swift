import GatehouseCore

extension Visit {
    /// A table of settings with their defaults and meanings.
    func table(of settings: [SettingValue], standard: [SettingValue], caption: String) -> Table {
        let defaults = Dictionary(standard.map { ($0.name, $0.value) }) { first, _ in first }
        return Table(
            caption,
            [words("setting.name"), words("setting.now"), words("setting.default"), words("setting.counts")],
            settings.map { setting in
                TableRow([
                    Cell(words("setting.\(setting.name)"), note: words("setting.\(setting.name).help")),
                    Cell(text(setting.value)), Cell(defaults[setting.name].map(text) ?? "–"),
                    Cell(words("setting.\(setting.name).from")),
                ])
            }, empty: ""
        ).wrapping
    }
}
