import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire

// Which refused calls a page shows: all of it is in its address.
extension PageRequest {
    static let refusalFilters = ["code", "idp", "version", "os", "call", "user", "range", "since", "until"]

    /// The address of the refused calls with these filters.
    func refusals(_ filters: [String: String]) -> String {
        let fields = FormValues(filters).encoded
        return address("refusals") + (fields.isEmpty ? "" : "?\(fields)")
    }

    var refusalTrait: GroupRefusals.Trait? { query["group"].flatMap { GroupRefusals.Trait(rawValue: $0) } }

    var refusalFilter: RefusalFilter {
        func text(_ name: String) -> String? { query[name].map { Self.plain($0, limit: 64) } }
        var filter = RefusalFilter()
        filter.code = query["code"].flatMap { Int($0) }.map { ErrorCode(rawValue: $0) }
        filter.provider = text("idp").map { Provider($0) }
        (filter.version, filter.system) = (text("version"), text("os")?.uppercased())
        filter.call = Self.refusableCalls.first { Self.shortCall($0) == query["call"] }
        filter.user = text("user").map { UserID($0.typedID) }
        (filter.since, filter.until) = listRange
        return filter
    }

    /// The calls of players, by their endpoints.
    private static let refusableCalls = Endpoints.all.map(\.template)

    /// The end of an endpoint's path, which says what was called.
    static func shortCall(_ path: String) -> String {
        path.parts(at: "/").drop { ["v1", "apps"].contains($0) || $0.begins(with: "{") || $0.begins(with: ":") }
            .joined(separator: "/")
    }

    func callName(_ short: String) -> String { words.optional("call.\(short.substituting("/", by: "."))") ?? short }

    /// The fields of the filters.
    func refusalFields() throws -> [Field] {
        func options(_ values: [(value: String, text: String)], of name: String) -> [Field.Option] {
            // What the address asks for stays, although nothing offers it.
            let other = query[name].flatMap { value in
                values.contains { $0.value == value } ? nil : Field.Option(value, Self.plain(value, limit: 64))
            }
            return [Field.Option("", words("frame.all"))] + values.map { Field.Option($0.value, $0.text) }
                + [other].compactMap(\.self)
        }
        let codes = ErrorCode.table.map(\.code).filter { words.optional("code.\($0.rawValue)") != nil }
            .map { (String($0.rawValue), named($0)) }
        let providers = ([.guest] + (try app()).providers.keys.sorted { $0.rawValue < $1.rawValue }).map {
            ($0.rawValue, providerLabel($0.rawValue))
        }
        let systems = Self.systems.map { ($0, words.system($0)) }.sorted { $0.1 < $1.1 }
        let group = query["group"].map { [Field("group", "", .hidden, value: $0)] } ?? []
        let kept = ["call", "user"].compactMap { name in query[name].map { Field(name, "", .hidden, value: $0) } }
        return group + kept + [
            Field("code", words("refusal.code"), .choice(options(codes, of: "code")), value: query["code"] ?? ""),
            Field("idp", words("identity.idp"), .choice(options(providers, of: "idp")), value: query["idp"] ?? ""),
            Field("version", words("refusal.version"), value: query["version"] ?? "", limit: 64),
            Field("os", words("refusal.system"), .choice(options(systems, of: "os")), value: query["os"] ?? ""),
        ] + rangeFields
    }

    /// The active filters, each with the address without it.
    var refusalChips: [Link] {
        let filter = refusalFilter
        let values: [(name: String, label: String, text: String?)] = [
            ("code", "refusal.code", filter.code.map(named)),
            ("idp", "identity.idp", filter.provider.map { providerLabel($0.rawValue) }),
            ("version", "refusal.version", filter.version), ("os", "refusal.system", filter.system.map(words.system)),
            ("call", "refusal.call", filter.call.map { callName(Self.shortCall($0)) }),
            ("user", "refusal.member", filter.user?.rawValue),
            ("range", "range.title", quickRange.map { words("range.\($0.rawValue)") }),
            ("since", "timeline.since", rangeMoment("since").moment.map { local.absolute($0) }),
            ("until", "timeline.until", rangeMoment("until").moment.map { local.absolute($0) }),
        ]
        return values.compactMap { name, label, text in
            text.map { Link("\(words(label)): \($0)", address(with: [name: nil, "before": nil, "from": nil])) }
        }
    }

    /// Links to the list, and to the calls counted by what they have in common.
    var refusalViews: [Link] {
        ([nil] + GroupRefusals.Trait.allCases.map(Optional.some)).map { trait in
            Link(
                words("refusal.group.\(trait?.rawValue ?? "none")"),
                address(with: ["group": trait?.rawValue, "before": nil, "from": nil]), isCurrent: trait == refusalTrait)
        }
    }

    // MARK: Groups

    /// The refused calls, counted by what they have in common.
    func refusalTable(_ groups: [GroupRefusals.Group], by trait: GroupRefusals.Trait) -> Table {
        let columns = ["refusal.group.\(trait.rawValue)", "refusal.calls", "refusal.players", "refusal.newest"]
        return Table(
            words("refusal.groups"), columns.map { words($0) },
            groups.map { group in
                TableRow([
                    cell(of: group, by: trait),
                    Cell(
                        words("refusal.count", ["count": Words.number(group.count)]),
                        link: group.value.map { calls(of: trait, $0, group: nil) }),
                    Cell(
                        words("refusal.player-count", ["count": Words.number(group.members)]),
                        link: trait == .member || group.members == 0
                            ? nil : group.value.map { calls(of: trait, $0, group: .member) }),
                    .time(group.last, local),
                ])
            }, empty: words(refusalChips.isEmpty ? "refusal.none" : "frame.nothing-matches"))
    }

    /// The same address for the calls of one group.
    private func calls(of trait: GroupRefusals.Trait, _ value: String, group: GroupRefusals.Trait?) -> String {
        let name =
            switch trait {
            case .code: "code"
            case .provider: "idp"
            case .version: "version"
            case .system: "os"
            case .member: "user"
            }
        return address(with: [name: value, "group": group?.rawValue, "before": nil, "from": nil])
    }

    private func cell(of group: GroupRefusals.Group, by trait: GroupRefusals.Trait) -> Cell {
        guard let value = group.value else { return Cell(words("refusal.unknown")) }
        return switch trait {
        case .code: Cell(Int(value).map { words.numbered(ErrorCode(rawValue: $0)) } ?? value)
        case .provider: Cell(providerLabel(value))
        case .version: Cell(value)
        case .system: Cell(words.system(value))
        case .member: .code(value, link: memberLink(UserID(value)))
        }
    }
}
