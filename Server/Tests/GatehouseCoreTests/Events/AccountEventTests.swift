import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import Testing

@testable import GatehouseCore

/// What each event is in the ledger, the audit log and the audit lines, as a table: names and details outlive versions.
@Suite struct AccountEventTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let event: AccountEvent
        let name: String
        /// The name in the rows of the ledger, if it is another.
        var stored: String?
        var details: [String: String] = [:]
        var logged: [String: String] = [:]
        var isInLedger = true
        var isAudited = false

        var testDescription: String { name }
    }

    private static let session = SessionID("s1")
    private static let end = Moment(milliseconds: 7)

    static let rows: [Row] = [
        Row(
            event: .memberCreated(.guest, session), name: "member.created", details: ["idp": "guest"],
            logged: ["sessionId": "s1"]),
        Row(
            event: .loggedIn(.naver, session), name: "member.logged-in", details: ["idp": "naver"],
            logged: ["sessionId": "s1"], isInLedger: false),
        Row(
            event: .loggedOut(session), name: "session.ended", logged: ["sessionId": "s1", "why": "logged_out"],
            isInLedger: false),
        Row(event: .sessionEndedElsewhere(session), name: "session.ended-elsewhere", logged: ["sessionId": "s1"]),
        Row(event: .otherSessionsEnded, name: "sessions.others-ended"),
        Row(event: .profileRead(.naver), name: "profile.read", details: ["idp": "naver"], isInLedger: false),
        Row(event: .exported, name: "member.exported", isInLedger: false),
        Row(event: .memberRestored(.naver), name: "member.restored", details: ["idp": "naver"], isAudited: true),
        Row(
            event: .memberFrozen(without: .naver, .transferred), name: "member.frozen",
            details: ["idp": "naver", "reason": "transferred"]),
        Row(event: .restoreWindowClosed, name: "member.restore-window-closed", isAudited: true),
        Row(
            event: .mappingAdded(.naver, endsGuest: true), name: "mapping.added",
            details: ["idp": "naver", "endsGuest": "true"]),
        Row(event: .mappingRemoved(.naver), name: "mapping.removed", details: ["idp": "naver"]),
        Row(
            event: .mappingMovedHere(.naver, from: UserID("B"), endsGuest: false), name: "mapping.moved-here",
            details: ["idp": "naver", "fromUserId": "B"]),
        Row(
            event: .mappingMovedAway(.naver, to: UserID("B")), name: "mapping.moved-away",
            details: ["idp": "naver", "toUserId": "B"]),
        Row(event: .mappingConflict(.naver), name: "mapping.conflict", details: ["idp": "naver"], isInLedger: false),
        Row(event: .transferIssued(isKey: true), name: "transfer.issued", details: ["form": "key"]),
        Row(event: .transferRenewed, name: "transfer.renewed"),
        Row(event: .transferBlocked(attempts: 5), name: "transfer.blocked", details: ["attempts": "5"]),
        Row(event: .transferUnblocked, name: "transfer.unblocked", isAudited: true),
        Row(event: .transferReissued, name: "transfer.reissued", isAudited: true),
        Row(event: .transferVoided, name: "transfer.voided", isAudited: true),
        Row(event: .transferRedeemed, name: "transfer.redeemed"),
        Row(
            event: .withdrawalRequested(end: end), name: "withdrawal.requested", details: ["endDate": "7"],
            isAudited: true),
        Row(event: .withdrawalCancelled, name: "withdrawal.cancelled", isAudited: true),
        Row(
            event: .withdrawn(.player), name: "member.withdrawn", stored: "withdrawal.done", details: ["event": "WAA"],
            isAudited: true),
        Row(
            event: .banned(id: "b1", .temporary, template: 3, end: end), name: "member.banned", stored: "ban.begun",
            details: ["banId": "b1", "type": "TEMPORARY", "templateCode": "3", "endDate": "7"], isAudited: true),
        Row(event: .banReleased(id: "b1"), name: "ban.released", details: ["banId": "b1"], isAudited: true),
        Row(
            event: .banChanged(id: "b1", end: end), name: "ban.changed", details: ["banId": "b1", "endDate": "7"],
            isAudited: true),
        Row(event: .banExpired(id: "b1"), name: "ban.expired", details: ["banId": "b1"], isAudited: true),
        Row(
            event: .graceBanned(id: "g1", end: end), name: "grace-ban.begun",
            details: ["graceBanId": "g1", "endDate": "7"], isAudited: true),
        Row(
            event: .graceBanReleased(id: "g1"), name: "grace-ban.released", details: ["graceBanId": "g1"],
            isAudited: true),
        Row(event: .paymentReported, name: "payment.reported", isInLedger: false),
        Row(event: .kickedOut, name: "member.kicked-out", stored: "sessions.kicked-out", isAudited: true),
        Row(
            event: .sessionKickedOut(session), name: "session.kicked-out", logged: ["sessionId": "s1"], isAudited: true),
        Row(
            event: .providerSignal(.apple, .consentRevoked, .endSessions), name: "provider.signal",
            stored: "idp.signal", details: ["idp": "appleid", "event": "consent-revoked", "action": "end-sessions"]),
        Row(event: .tokensRevoked(.naver), name: "idp-tokens.revoked", details: ["idp": "naver"]),
        Row(event: .tokensNotRevoked(.naver), name: "idp-tokens.not-revoked", details: ["idp": "naver"]),
        Row(
            event: .memberImported(source: "old", asNewGuest: true), name: "member.imported",
            details: ["source": "old"]),
        Row(
            event: .legacyClaimed(source: "old", .guest), name: "legacy.claimed",
            details: ["source": "old", "idp": "guest"]),
        Row(
            event: .legacyReleased(source: "old"), name: "legacy.released", details: ["source": "old"], isAudited: true),
        Row(event: .importUndone(source: "old"), name: "import.undone", details: ["source": "old"]),
    ]

    @Test("Each event has its name, its details, and its places", arguments: rows)
    func row(_ row: Row) {
        #expect(row.event.name.rawValue == row.name)
        #expect(row.event.name.stored == row.stored ?? row.name)
        #expect(row.event.details == row.details)
        #expect(row.event.loggedDetails == row.logged)
        #expect(row.event.changesAccount == row.isInLedger)
        #expect(row.event.isAudited == row.isAudited)
        // What moderates also changes the account: the audit log has no event that the ledger lacks.
        #expect(row.event.changesAccount || !row.event.isAudited)
    }

    @Test("The table has every event, each with a name of its own, here and in the rows of the ledger")
    func names() throws {
        let names = Self.rows.map(\.event.name)
        #expect(Set(names).count == names.count)
        #expect(Set(names.map(\.stored)).count == names.count)
        let declared = try ServerSources.matches(#/static let \w+ = EventName\("([a-z.-]+)"\)/#) {
            $0 == "EventName.swift"
        }
        #expect(Set(names.map(\.rawValue)) == Set(declared))
    }

    @Test("Names that earlier versions have stored are read as the present ones")
    func storedNames() {
        for row in Self.rows {
            #expect(EventName(stored: row.event.name.stored) == row.event.name)
            // A row that has the present name, from another version, is read as well.
            #expect(EventName(stored: row.name) == row.event.name)
        }
        #expect(EventName(stored: "of-a-later-version").rawValue == "of-a-later-version")
    }
}
