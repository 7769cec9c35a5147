import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire

/// The parts of the card on a member's page.
extension PageRequest {
    /// How many lines of a list are shown at once.
    private static let shownLines = 3

    /// A list of the card, whose end is folded if it is long.
    @HTMLBuilder private func list<Item>(
        _ items: [Item], id: String? = nil, @HTMLBuilder _ line: (Item) -> HTML
    ) -> HTML {
        ul(.class("lines"), .id(id)) {
            for item in items.prefix(Self.shownLines) { li { line(item) } }
        }
        if items.count > Self.shownLines {
            details {
                summary { words("member.rest", ["count": Words.number(items.count - Self.shownLines)]) }
                ul(.class("lines")) {
                    for item in items.dropFirst(Self.shownLines) { li { line(item) } }
                }
            }
        }
    }

    /// A piece of a line. The style puts a point between two pieces that stand side by side, and none where the line breaks.
    @HTMLBuilder private func piece(@HTMLBuilder _ content: () -> HTML) -> HTML {
        span(content: content)
        " "
    }

    /// Small links behind a line.
    @HTMLBuilder private func links(_ links: [Link?]) -> HTML {
        for link in links.compactMap({ $0 }) { piece { link } }
    }

    /// A moment as its distance from now. The time itself is in the title, in the reader's zone and in UTC.
    func ago(_ moment: Moment) -> HTML {
        HTML.element(
            "time", Attribute("datetime", local.machine(moment)),
            .title("\(local.absolute(moment)) · \(local.universal(moment))")
        ) { local.relative(moment) }
    }

    // MARK: Identities

    func identities(_ member: Member) -> HTML {
        div(.id("identities")) {
            h2 { words("identity.title") }
            if member.mappings.isEmpty { empty("identity.empty") }
            list(member.mappings) { mapping in
                let fields = ["user": member.userId.rawValue, "idp": mapping.provider.rawValue]
                strong { providerLabel(mapping.provider.rawValue) }
                " "
                Cell.code(subject(mapping.subject))
                p(.class("pieces")) {
                    piece {
                        "\(words("identity.since")) "
                        ago(Moment(milliseconds: mapping.registrationDate))
                    }
                    links([
                        mapping.provider == .guest
                            ? nil : offer(MoveMemberMapping.self, fields, text: words("identity.move")),
                        member.mappings.count < 2
                            ? nil : offer(RemoveMemberMapping.self, fields, text: words("identity.remove")),
                    ])
                }
            }
        }
    }

    /// A subject as this person may see it.
    func subject(_ subject: String) -> String { seesSubjects ? subject : "\(subject.prefix(4))…" }

    // MARK: Other systems

    /// Who the member is in the systems that members come from, by which import, and whether a device has come for it.
    @HTMLBuilder func legacyList(_ members: [LegacyMember]) -> HTML {
        if !members.isEmpty {
            div(.id("legacy")) {
                h2 { words("legacy.title") }
                list(members) { member in
                    strong { bdi { member.source } }
                    " "
                    Cell.code(subject(member.legacyID))
                    p(.class("pieces")) {
                        piece {
                            "\(words(member.run == nil ? "legacy.exchanged" : "legacy.imported")) "
                            ago(member.importedAt)
                        }
                        piece {
                            if let claimed = member.claimedAt {
                                "\(words("legacy.claimed")) "
                                ago(claimed)
                            } else {
                                words("legacy.unclaimed")
                            }
                        }
                        links([
                            may(ImportRun.role) ? member.run.map { Link(words("legacy.run"), importLink($0)) } : nil
                        ])
                    }
                }
            }
        }
    }

    // MARK: Sessions and devices

    func sessions(of user: UserID) async throws -> [DeviceSession] {
        try await run(ListMemberSessions(request: MemberSessionsRequest(userId: user, after: nil))).sessions
    }

    @HTMLBuilder func sessionList(_ sessions: [DeviceSession], of user: UserID) -> HTML {
        if !sessions.isEmpty {
            div(.id("sessions")) {
                h2 { words("session.title") }
                list(sessions) { session in
                    let fields = ["user": user.rawValue, "session": session.sessionId.rawValue]
                    bdi { words.device(session) }
                    p(.class("pieces")) {
                        piece { providerLabel(session.provider.rawValue) }
                        if let version = session.clientVersion { piece { bdi { version } } }
                        if let protection = session.keyProtection {
                            piece {
                                "\(words("session.key")): "
                                bdi { keyProtection(protection) }
                            }
                        }
                        piece {
                            "\(words("session.begun")) "
                            ago(Moment(milliseconds: session.beginDate))
                        }
                        piece {
                            "\(words("session.used")) "
                            ago(Moment(milliseconds: session.lastUsedDate))
                        }
                        links([offer(EndMemberSession.self, fields, text: words("session.end"))])
                    }
                }
                if may(.support) {
                    p { Link(words("session.end-all"), actionAddress(KickOutMember.self, ["user": user.rawValue])) }
                }
            }
        }
    }

    /// Where a device keeps its key. A word that the console does not know is shown as the device has sent it.
    private func keyProtection(_ protection: KeyProtection) -> String {
        words.optional("session.key.\(protection.rawValue)") ?? protection.rawValue
    }

    /// The devices, each with how many others have been logged in on it.
    @HTMLBuilder func deviceList(_ devices: [MemberDevice]) -> HTML {
        if !devices.isEmpty {
            details(.open(if: devices.contains { !$0.others.isEmpty })) {
                summary { words("devices.title") }
                list(devices, id: "devices") { device in
                    let count = device.others.count
                    bdi { words.device(device.client) }
                    " "
                    Cell.code("\(device.key.rawValue.prefix(8))…")
                    p(.class("pieces")) {
                        piece {
                            "\(words("session.used")) "
                            ago(device.usedAt)
                        }
                        if count > 0 {
                            piece {
                                Cell(
                                    words("devices.shares", ["count": Words.number(count)]),
                                    link: may(.support) ? deviceLink(device.key) : nil)
                            }
                        }
                        links([
                            offer(
                                AddTestDevice.self, ["device": device.key.rawValue],
                                text: words("devices.make-test"))
                        ])
                    }
                }
            }
        }
    }

    // MARK: Transfer

    @HTMLBuilder func transferFacts(_ member: Member, _ report: TransferReport?) -> HTML {
        if let report {
            div(.id("transfer")) {
                h2 { words("nav.transfer") }
                Facts(transferFacts(report))
                p {
                    for link in transferActions(member, report) {
                        link
                        " "
                    }
                }
            }
        }
    }

    private func transferFacts(_ report: TransferReport) -> [Fact] {
        let account = report.account
        var facts = [
            Fact(words("transfer.id"), .code(seesSubjects ? account.id : "\(account.id.prefix(2))…")),
            Fact(words("transfer.issued"), .time(Moment(milliseconds: account.registrationDate), local)),
            Fact(
                words("transfer.expires"),
                account.expiryDate.map { .time(Moment(milliseconds: $0), local) } ?? Cell(words("transfer.never"))),
        ]
        if let moment = report.usedAt { facts.append(Fact(words("transfer.used"), .time(moment, local))) }
        if report.failedAttempts > 0 {
            facts.append(Fact(words("transfer.failed"), Cell(Words.number(report.failedAttempts))))
        }
        if let moment = report.blockedUntil { facts.append(Fact(words("transfer.blocked"), .time(moment, local))) }
        return facts
    }

    private func transferActions(_ member: Member, _ report: TransferReport?) -> [Link] {
        let fields = ["user": member.userId.rawValue]
        var links: [Link?] = []
        if let report, report.failedAttempts > 0 { links.append(offer(UnblockTransferAccount.self, fields)) }
        let isGuest = member.mappings.map(\.provider) == [.guest]
        if isGuest, (try? app())?.policy.transfer != nil {
            links.append(
                offer(ReissueTransferAccount.self, fields, text: report == nil ? words("transfer.first") : nil))
        }
        if report != nil { links.append(offer(VoidTransferAccount.self, fields)) }
        return links.compactMap(\.self)
    }

    // MARK: Bans

    @HTMLBuilder func banList(_ bans: [BanRecord]) -> HTML {
        if !bans.isEmpty {
            div(.id("bans")) {
                h2 { words("nav.bans") }
                list(bans) { ban in
                    bdi { ban.reason }
                    p(.class("pieces")) {
                        piece {
                            "\(words("bans.begun")) "
                            ago(ban.beginsAt)
                        }
                        piece {
                            "\(words("bans.ends")) "
                            if let end = ban.endsAt { ago(end) } else { words("bans.for-good") }
                        }
                        if let release = ban.release {
                            piece {
                                "\(words("bans.released")) "
                                ago(release.at)
                            }
                        }
                        piece {
                            "\(words("bans.by")) "
                            bdi { ban.registeredBy }
                        }
                    }
                }
            }
        }
    }

    // MARK: What there is not

    /// What the member does not have, in one line.
    @HTMLBuilder func nothing(_ hasNoSession: Bool, _ hasNoTransfer: Bool, _ hasNoBan: Bool, _ member: Member) -> HTML {
        let lines = [
            ("sessions", "session.none", hasNoSession), ("transfer", "transfer.none", hasNoTransfer),
            ("bans", "bans.none", hasNoBan),
        ].filter(\.2)
        if !lines.isEmpty {
            p(.class("empty")) {
                for (id, key, _) in lines {
                    span(.id(id)) { words(key) }
                    " "
                    if id == "transfer" {
                        for link in transferActions(member, nil) {
                            link
                            " "
                        }
                    }
                }
            }
        }
    }
}
