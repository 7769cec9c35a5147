import GatehouseCore
import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import NIOCore

extension ServerAPI {
    /// 8: bans members.
    @Sendable func ban(_ call: ServerAPICall) async throws -> FailedUsersAnswer {
        let body = try call.decoded(as: BanBody.self)
        let type = BanType(body.banTypeCode)
        guard type == .temporary || type == .permanent else {
            throw ServerAPIFailure(
                .undefinedValue, .parameter("banTypeCode", "The type of a ban is TEMPORARY or PERMANENT."))
        }
        var end: Moment?
        if type == .temporary {
            guard let text = body.end, !text.isEmpty else { throw ServerAPIFailure.missing("end") }
            end = ServerAPIDate.parse(text)
            guard end != nil else {
                throw ServerAPIFailure.mismatch("end", "a time as yyyy-MM-dd'T'HH:mm:ss.SSSXXX")
            }
        }
        let request = BanRequest(
            userIds: body.userIdList, banType: type, endDate: end?.milliseconds, templateCode: body.templateCode,
            reason: body.banReason, registeredBy: body.regUser, flags: body.flags)
        let outcome = try await call.run(
            BanMembers(request: request), named: request.registeredBy, reason: request.reason)
        return FailedUsersAnswer(header: call.success, failedUserIdList: outcome.failedUserIds)
    }

    /// 11: releases bans.
    @Sendable func releaseBan(_ call: ServerAPICall) async throws -> FailedUsersAnswer {
        let body = try call.decoded(as: BanReleaseBody.self)
        let outcome = try await call.run(
            ReleaseBans(users: body.userIdList), named: body.releaseUser, reason: body.banReleaseReason)
        return FailedUsersAnswer(header: call.success, failedUserIdList: outcome.failedUserIds)
    }

    /// 9: bans that began in a period.
    @Sendable func bans(_ call: ServerAPICall) async throws -> PageAnswer<BanRow> {
        try await list(.begun(call.period()), call, withRelease: false)
    }

    /// 10: bans that are in effect now.
    @Sendable func currentBans(_ call: ServerAPICall) async throws -> PageAnswer<BanRow> {
        try await list(.current, call, withRelease: false)
    }

    /// 12: releases in a period.
    @Sendable func releases(_ call: ServerAPICall) async throws -> PageAnswer<BanRow> {
        try await list(.released(call.period()), call, withRelease: true)
    }

    private func list(
        _ kind: ListBans.Kind, _ call: ServerAPICall, withRelease: Bool
    ) async throws -> PageAnswer<BanRow> {
        let paged = try await call.run(ListBans(kind: kind, page: call.page()))
        return PageAnswer(
            header: call.success, pagingInfo: PagingInfo(paged),
            result: paged.elements.map { Self.row($0, call, withRelease: withRelease) })
    }

    private static func row(_ row: ListBans.Row, _ call: ServerAPICall, withRelease: Bool) -> BanRow {
        let ban = row.ban
        var result = BanRow(
            userId: ban.user, banCaller: ban.caller, banReason: ban.reason, banType: ban.type,
            beginDate: call.version.date(ofBan: ban.beginsAt), endDate: ban.endsAt.map(call.version.date(ofBan:)),
            flags: ban.flags, name: row.templateName, templateCode: ban.templateCode)
        let isOld = call.version != .v13
        if withRelease || isOld, let release = ban.release {
            result.releaseCaller = release.caller
            result.releaseDate = call.version.date(ofBan: release.at)
            result.releaseReason = release.reason
            if isOld { result.releaseUser = release.by }
        }
        if isOld {
            result.appId = call.app.id
            result.message = row.message
            result.regUser = ban.registeredBy
            result.seq = ban.sequence
        }
        return result
    }

    // MARK: Withdrawals

    /// 14: withdraws a member at once.
    @Sendable func withdraw(_ call: ServerAPICall) async throws -> DoneAnswer {
        let name = try call.required("regUser")
        guard !name.unicodeScalars.contains(where: \.properties.isWhitespace) else {
            throw ServerAPIFailure(.unsuitableParameter, .parameter("regUser", "regUser holds no spaces."))
        }
        guard name.utf8.count <= 128 else {
            throw ServerAPIFailure(.tooLong, .parameter("regUser", "regUser has at most 128 bytes."))
        }
        try await call.run(WithdrawMember(user: call.user), named: name)
        return DoneAnswer(header: call.success)
    }

    /// 15: withdrawals of the last year.
    @Sendable func withdrawals(_ call: ServerAPICall) async throws -> PageAnswer<WithdrawalRow> {
        let asked = try call.period()
        let yearAgo = call.moment.adding(seconds: -366 * 86_400)
        let period = try Period(begin: max(asked.begin, yearAgo), end: max(asked.end, yearAgo))
        let event = try call.given("eventLogType").map { text in
            guard let event = WithdrawalEvent(rawValue: text) else {
                let known = WithdrawalEvent.allCases.map(\.rawValue).joined(separator: ", ")
                throw ServerAPIFailure.mismatch("eventLogType", "one of \(known)")
            }
            return event
        }
        let paged = try await call.run(ListWithdrawals(event: event, period: period, page: call.page()))
        return PageAnswer(
            header: call.success, pagingInfo: PagingInfo(paged),
            result: paged.elements.map { row in
                WithdrawalRow(
                    userId: row.user, date: .iso8601(row.date.milliseconds), regUser: row.registeredBy)
            })
    }

    /// 16: a report from Apple about a person, signed by Apple.
    @Sendable func appleNotification(_ call: ServerAPICall) async throws -> DoneAnswer {
        let message = SignalReader.Message(body: Data(call.body.readableBytesView), query: "", authorization: nil)
        let apple = Actor(principal: .provider(.apple), door: .provider)
        _ = try await call.actions.run(ReceiveReport(message: message, provider: .apple), by: apple, in: call.context)
        return DoneAnswer(header: call.success)
    }
}

extension BanRecord {
    /// A number that grows with time, as in older documents: milliseconds since 1970, and twelve bits of the id. It stays exact in
    /// languages whose numbers are doubles.
    fileprivate var sequence: Int64 {
        let letters = Array("0123456789abcdefghijklmnopqrstuv".utf8)
        let bits = id.utf8.suffix(3).reduce(Int64(0)) { value, letter in
            value << 5 | Int64(letters.firstIndex(of: letter) ?? 0)
        }
        return min(max(beginsAt.milliseconds, 0), 1 << 41) << 12 | bits & 0xfff
    }
}

// MARK: Bodies

struct BanBody: Decodable, Sendable {
    let userIdList: [UserID]
    let banTypeCode: String
    let end: String?
    let templateCode: Int?
    let banReason: String
    let flags: String?
    let regUser: String
}

struct BanReleaseBody: Decodable, Sendable {
    let userIdList: [UserID]
    let banReleaseReason: String
    let releaseUser: String
}

struct FailedUsersAnswer: Encodable, Sendable {
    let header: ResultHeader
    let failedUserIdList: [UserID]
}

struct PagingInfo: Encodable, Sendable {
    let first: Bool
    let last: Bool
    let numberOfElements: Int
    let page: Int
    let size: Int
    let totalElements: Int
    let totalPages: Int

    init<Element>(_ paged: Paged<Element>) {
        let page = paged.page
        totalPages = (paged.total + page.size - 1) / page.size
        first = page.number == 0
        last = page.number + 1 >= totalPages
        numberOfElements = paged.elements.count
        self.page = page.number
        size = page.size
        totalElements = paged.total
    }
}

struct PageAnswer<Row: Encodable & Sendable>: Encodable, Sendable {
    let header: ResultHeader
    let pagingInfo: PagingInfo
    let result: [Row]
}

struct BanRow: Encodable, Sendable {
    let userId: UserID
    let banCaller: String
    let banReason: String
    let banType: BanType
    let beginDate: ServerAPIDate
    /// Absent for a permanent ban.
    let endDate: ServerAPIDate?
    let flags: String?
    /// The template's name.
    let name: String?
    let templateCode: Int?
    var releaseCaller: String?
    var releaseDate: ServerAPIDate?
    var releaseReason: String?
    // Present only before version 1.3.
    var appId: AppID?
    var message: String?
    var regUser: String?
    var releaseUser: String?
    var seq: Int64?
}

struct WithdrawalRow: Encodable, Sendable {
    let userId: UserID
    let date: ServerAPIDate
    /// Null when the player withdrew in the game.
    let regUser: String?

    private enum CodingKeys: String, CodingKey {
        case userId, date, regUser
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(userId, forKey: .userId)
        try container.encode(date, forKey: .date)
        try container.encode(regUser, forKey: .regUser)
    }
}
