import GatehouseCore
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
                    BanLength.choices(visit).map { Field.Option($0.rawValue, visit.words("bans.length.\($0.rawValue)")) }),
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

    /// The members that were typed, one in a line, without those that occur twice.
    private static func users(_ values: FormValues) -> [UserID] {
        var seen = Set<String>()
        return (values["users"] ?? "").uppercased().split { $0.isWhitespace || $0 == "," || $0 == ";" }
            .map { String($0.prefix(64)) }.filter { seen.insert($0).inserted }.map { UserID($0) }
    }

    private static let mostMembers = 100

    static let banMembers = DeedKind(
        name: "members.banned", level: .confirmed, role: .operator, section: "bans",
        target: { values in .members(Array(users(values).prefix(mostMembers))) },
        fields: { visit, _ in
            [
                Field(
                    "users", visit.words("ban-members.users"), .lines, help: visit.words("ban-members.users-help"),
                    isRequired: true, limit: 4_000)
            ] + lengthFields(visit) + [try await banTextField(visit)]
        },
        preview: { visit, values in
            let users = users(values)
            guard (1...mostMembers).contains(users.count) else {
                throw FormProblems(["users": visit.words("problem.users", ["count": String(mostMembers)])])
            }
            let end = try BanLength.end(values, visit)
            let fates = try await visit.fates(of: users)
            let banned = fates.filter(\.isBanned).count
            guard banned > 0 else { throw FormProblems(["users": visit.words("problem.nobody-to-ban")]) }
            var consequences = [
                visit.words("ban-members.what", ["count": String(banned), "end": visit.end(end)]),
                visit.words("ban.sessions"),
            ]
            if banned < users.count {
                consequences.append(
                    visit.words("ban-members.others", ["count": String(users.count - banned)]))
            }
            var preview = DeedPreview(
                visit.words("ban-members.title", ["count": String(banned)]), consequences,
                undo: visit.words("ban.undo"), button: visit.words("deed.members.banned"),
                cancel: visit.address("bans"), isDangerous: true)
            preview.table = Table(
                visit.words("ban-members.fates"),
                [visit.words("members.id"), visit.words("members.state"), visit.words("ban-members.fate")],
                fates.map(\.row), empty: "")
            preview.playerReads = try await visit.banTexts(values)
            return preview
        },
        perform: { visit, values, call in
            try await call.run(ban(of: users(values), visit, values, call))
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

    /// What banning would do to each member.
    fileprivate func fates(of users: [UserID]) async throws -> [(isBanned: Bool, row: TableRow)] {
        let state = try await run(ReadDeedState(target: .members(users)))
        return users.map { user in
            guard let letter = state.values["\(user).status"] else {
                let cell = Cell(words("ban-members.unknown"), badge: "warn")
                return (false, TableRow([.code(user.rawValue), Cell("–"), cell]))
            }
            let status = MemberStatus(letter)
            let end = state.values["\(user).banEndsAt"].flatMap { Int64($0) }.map { Moment(milliseconds: $0) }
            let isOver = end.map { $0 <= moment } ?? false
            let cells = [Cell.code(user.rawValue, link: memberLink(user)), memberState(status)]
            let fate =
                switch status {
                case .withdrawn, .missing: Cell(words("ban-members.gone"), badge: "warn")
                case .banned where !isOver:
                    Cell(words("ban-members.banned-already", ["end": self.end(end)]), badge: "plain")
                default: Cell(words("ban-members.will"), badge: "bad")
                }
            return (fate.badge == "bad", TableRow(cells + [fate]))
        }
    }
}
