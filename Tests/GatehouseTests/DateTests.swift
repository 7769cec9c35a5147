import Foundation
import Gatehouse
import Testing

/// What a game shows: dates and durations of the contract's milliseconds and seconds.
@Suite struct DateTests {
    private static let moment: Int64 = 1_796_064_263_389

    private func member() -> Member {
        var member = Member(
            appId: "app", userId: "user", status: .normal, registrationDate: 1_000, lastLoginDate: Self.moment,
            mappings: [Mapping(provider: .google, subject: "subject", registrationDate: 1_500, revokedDate: -500)])
        member.temporaryWithdrawal = TemporaryWithdrawal(gracePeriodDate: Self.moment)
        return member
    }

    @Test("Milliseconds since 1970 are a date, before 1970 as well")
    func dates() throws {
        let member = member()
        #expect(member.registeredAt == Date(timeIntervalSince1970: 1))
        #expect(abs(member.lastLoginAt.timeIntervalSince1970 - 1_796_064_263.389) < 0.000_5)
        #expect(member.temporaryWithdrawal?.deletesAt == member.lastLoginAt)
        let mapping = try #require(member.mappings.first)
        #expect(mapping.linkedAt == Date(timeIntervalSince1970: 1.5))
        #expect(mapping.revokedAt == Date(timeIntervalSince1970: -0.5))
        let key = TransferKey(transferKey: "ABCDEFGH", registrationDate: 2_000, expiryDate: 3_000)
        #expect(key.issuedAt == Date(timeIntervalSince1970: 2))
        #expect(key.expiresAt == Date(timeIntervalSince1970: 3))
    }

    @Test("What has no end has no date")
    func noEnd() {
        let ban = Ban(
            userId: "user", banType: .permanent, beginDate: 1_000, endDate: nil, message: nil, contact: nil,
            contactUrl: nil)
        #expect(ban.beganAt == Date(timeIntervalSince1970: 1))
        #expect(ban.endsAt == nil)
        let account = TransferAccount(
            id: "id", password: nil, issuedType: .automatic, transferAccountType: .unlimited, registrationDate: 4_000,
            expiryDate: nil)
        #expect(account.issuedAt == Date(timeIntervalSince1970: 4))
        #expect(account.expiresAt == nil)
    }

    @Test("No number of a server ends the process", arguments: [Int64.min, -1, 0, .max])
    func extremes(number: Int64) {
        let block = TransferBlock(accountId: "id", failCount: 1, blockEndDate: number, registrationDate: number)
        #expect(block.endsAt == Date(timeIntervalSince1970: Double(number) / 1_000))
        var details = ErrorDetails()
        details.retryAfterSeconds = number
        #expect(AuthError(.serverInternalError, details: details).retryAfter == .seconds(number))
    }
}
