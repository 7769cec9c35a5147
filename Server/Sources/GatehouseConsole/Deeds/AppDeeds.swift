import GatehouseCore
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire

extension Console {
    /// What an owner of the server does with apps as a whole. It concerns no app yet.
    static let appDeeds = [createApp]

    /// An id with which no app can be is none, so that nothing of it reaches the database or an address.
    private static func id(_ values: FormValues) -> AppID {
        let id = AppID(values["appId"] ?? "")
        return CreateApp(id: id, name: "").problems["appId"] == nil ? id : AppID("")
    }

    private static let createApp = DeedKind(
        name: "app.created", level: .fresh, role: .owner, section: "apps", isOfServer: true,
        target: { .newApp(id($0)) },
        fields: { visit, _ in
            [
                Field(
                    "name", visit.words("apps.name"), help: visit.words("apps.name-help"), isRequired: true,
                    limit: 100),
                Field("appId", visit.words("apps.id"), help: visit.words("apps.id-help"), limit: 32),
            ]
        },
        // The id is chosen before the confirmation, which names it.
        seal: { visit, values in
            guard let name = values["name"], !values.isSet("appId") else { return values }
            var values = values
            values["appId"] = AppID.suggested(for: name, besides: try await visit.appIDs()).rawValue
            return values
        },
        preview: { visit, values in
            let (id, name) = (AppID(values["appId"] ?? ""), values["name"] ?? "")
            var problems = CreateApp(id: id, name: name).problems.mapValues(visit.text)
            if try await visit.appIDs().contains(id) { problems["appId"] = visit.words("apps.id-taken") }
            guard problems.isEmpty else { throw FormProblems(problems) }
            return DeedPreview(
                visit.words("apps.create-title", ["name": name]),
                [
                    visit.words("apps.create-what", ["id": id.rawValue]), visit.words("apps.create-key"),
                    visit.words("secrets.shown-once"),
                ],
                undo: visit.words("apps.create-undo"), button: visit.words("deed.app.created"),
                cancel: Console.prefix)
        },
        perform: { visit, values, call in
            let id = AppID(values["appId"] ?? "")
            let secret = try await call.run(CreateApp(id: id, name: values["name"] ?? ""))
            return DeedResult(
                "\(Console.prefix)/apps/\(FormValues.encoded(id.rawValue))/start",
                secrets: [
                    Fact(visit.words("apps.id"), .code(id.rawValue)),
                    Fact(visit.words("secrets.key"), .code(secret.secretValue)),
                ])
        })
}

extension Visit {
    fileprivate func appIDs() async throws -> Set<AppID> { Set(try await run(ListApps()).map(\.id)) }
}
