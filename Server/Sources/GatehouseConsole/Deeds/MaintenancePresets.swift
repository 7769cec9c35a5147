import GatehouseCore
import GatehouseSecurity

extension Console {
    /// Links that fill in a form with what is wanted most often, by the name of the form's action.
    static let presets: [String: @Sendable (Visit) -> [Link]] = [
        PlanMaintenance.about.name: { $0.maintenancePresets() }
    ]
}

extension Visit {
    /// The maintenance windows that are planned most often.
    fileprivate func maintenancePresets() -> [Link] {
        func link(_ key: String, _ begin: String?, _ end: String) -> Link {
            let text = words(key, ["zone": local.zoneName(at: moment)])
            let fields = ["begin": begin, "end": end].compactMapValues(\.self)
            return Link(text, deed(PlanMaintenance.about.name, fields))
        }
        let soon = moment.adding(seconds: 600)
        return [
            local.next(hour: 3).map {
                link("maintenance.tonight", local.input($0), local.input($0.adding(seconds: 7_200)))
            },
            link("maintenance.soon", local.input(soon), local.input(soon.adding(seconds: 3_600))),
            link("maintenance.at-once", nil, local.input(moment.adding(seconds: 1_800))),
        ].compactMap(\.self)
    }
}
