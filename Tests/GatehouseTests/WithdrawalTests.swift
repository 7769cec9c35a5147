import Foundation
import GatehouseTesting
import GatehouseWire
import Testing

@testable import Gatehouse

/// A player who has turned away at the provider may withdraw after the session's end.
@Suite struct WithdrawalTests {
    /// A device whose session has ended by a provider's report.
    private func revoked() async throws -> Device {
        let device = try Device { $0.retries = 0 }
        try await device.start()
        _ = try await device.logIn()
        device.network.script(.sessionEnded(.consentRevoked))
        _ = await failure { try await device.gatehouse.sendHeartbeat() }
        return device
    }

    @Test("WITHDRAW-1: a withdrawal after the provider's report succeeds also when the network was away in between")
    func afterNetworkError() async throws {
        let device = try await revoked()
        device.network.script(.noConnection())
        #expect(await failure { try await device.gatehouse.logInWithLastProvider() }?.isNetworkError == true)
        device.network.script(.lost())
        #expect(await failure { try await device.gatehouse.withdraw() }?.code == .socketResponseTimeout)
        device.network.script(.done())
        try await device.gatehouse.withdraw()
        #expect(device.network.requests.last?.url.path.hasSuffix("/withdrawal/now") == true)
        #expect(device.gatehouse.lastProvider == nil)
        #expect(await failure { try await device.gatehouse.withdraw() }?.code == .notLoggedIn)
    }

    @Test("WITHDRAW-1: the provider's report opens a withdrawal after the next start, too, and a logout closes it")
    func afterStart() async throws {
        let device = try await revoked()
        try await device.start()
        device.network.script(.refusal(.serverInternalError))
        #expect(await failure { try await device.gatehouse.withdraw() }?.code == .authWithdrawFailed)
        device.network.script(.done())
        try await device.gatehouse.logOut()
        #expect(await failure { try await device.gatehouse.withdraw() }?.code == .notLoggedIn)
    }

    @Test("WITHDRAW-1: a session that has ended for another reason opens no withdrawal")
    func otherEnds() async throws {
        let device = try await revoked()
        device.network.script(.sessionEnded(.sessionExpired))
        #expect(await failure { try await device.gatehouse.logInWithLastProvider() }?.reason == .sessionExpired)
        #expect(await failure { try await device.gatehouse.withdraw() }?.code == .notLoggedIn)
    }
}
