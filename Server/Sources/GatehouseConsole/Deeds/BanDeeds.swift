import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire

extension Console {
    /// How long a ban lasts, as two fields.
    static func lengthFields(_ visit: Visit) -> [Field] {
        [
            Field(
                "length", visit.words("bans.length"),
                .choice(
                    BanLength.choices(visit).map {
                        Field.Option($0.rawValue, visit.words("bans.length.\($0.rawValue)"))
                    }),
                value: BanLength.threeDays.rawValue),
            Field(
                "until", visit.words("bans.until"), .time,
                help: visit.words("time.zone-help", ["zone": visit.local.zoneName(at: visit.moment)])),
        ]
    }

    /// What the player reads.
    static func banTextField(_ visit: Visit) async throws -> Field {
        let templates = try await visit.run(ListBanTemplates())
        return Field(
            "template", visit.words("bans.template"),
            .choice(
                [Field.Option("", visit.words("bans.no-template"))]
                    + templates.filter { !$0.isArchived }.map { Field.Option(String($0.code), $0.name) }))
    }

    /// The ban that a form describes.
    static func ban(of users: [UserID], _ visit: Visit, _ values: FormValues, _ call: DeedCall) throws -> BanMembers {
        let end = try BanLength.end(values, visit)
        return BanMembers(
            request: BanRequest(
                userIds: users, banType: end == nil ? .permanent : .temporary, endDate: end?.milliseconds,
                templateCode: values["template"].flatMap { Int($0) }, reason: call.reason,
                registeredBy: visit.person.name))
    }

    static let changeBan = DeedKind(
        name: "ban.changed", level: .confirmed, role: .support, section: "bans", target: member,
        fields: { visit, values in
            _ = try await visit.changeableBan(visit.run(ReadMemberReport(user: user(values))))
            return lengthFields(visit)
        },
        preview: { visit, values in
            let user = try user(values)
            let ban = try await visit.changeableBan(visit.run(ReadMemberReport(user: user)))
            let end = try BanLength.end(values, visit)
            guard end != ban.endsAt else { throw FormProblems(["length": visit.words("problem.same-end")]) }
            let isShorter = end.map { new in ban.endsAt.map { new < $0 } ?? true } ?? false
            return DeedPreview(
                visit.words("change-ban.title", ["user": user.rawValue]),
                [
                    visit.words("change-ban.now", ["end": visit.end(ban.endsAt), "name": ban.registeredBy]),
                    visit.words(
                        isShorter ? "change-ban.shorter" : "change-ban.longer", ["end": visit.end(end)]),
                    visit.words("change-ban.begun", ["begin": visit.local.absolute(ban.beginsAt)]),
                ], undo: visit.words("change-ban.undo"), button: visit.words("deed.ban.changed"),
                cancel: visit.address("bans"))
        },
        perform: { visit, values, call in
            try await call.run(ChangeBan(user: try user(values), end: try BanLength.end(values, visit)))
            return DeedResult(visit.address("bans"))
        })
}

extension Visit {
    /// The end of a ban in words.
    func end(_ moment: Moment?) -> String {
        guard let moment else { return words("bans.for-good") }
        return words("bans.until-moment", ["end": local.absolute(moment), "length": local.relative(moment)])
    }

    /// The texts of the chosen template, by language.
    func banTexts(_ values: FormValues) async throws -> [(language: String, text: String)] {
        let template = try await run(ListBanTemplates()).first { String($0.code) == values["template"] }
        return (template?.texts.texts ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
