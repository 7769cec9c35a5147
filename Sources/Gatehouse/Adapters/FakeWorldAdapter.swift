import Foundation
public import GatehouseWire

/// For development: logs players in at a provider that has a library and no page, when a fake world on this machine replaces the
/// provider (`gatehouse dev`, `gatehouse idp set --fake-world`). The fake world returns what the library would return.
public struct FakeWorldAdapter: AuthAdapter {
    /// The key of `additionalInfo` that says who sits at the device. Without it that is `alice`.
    public static let playerKey = "x-fakePlayer"

    /// The identity provider that it stands for.
    public let provider: Provider
    /// The key with the player's name.
    public var additionalInfoKeys: [String]? { [Self.playerKey] }
    private let player: (@Sendable () -> String)?

    /// Makes an adapter for one provider of the fake world.
    ///
    /// - Parameter provider: a provider whose library the fake world stands for.
    /// - Parameter player: names the player at the device; it takes precedence over `additionalInfo`.
    public init(_ provider: Provider, player: (@Sendable () -> String)? = nil) {
        self.provider = provider
        self.player = player
    }

    /// Asks the fake world for a credential of the player.
    public func logIn(_ request: AdapterRequest) async throws -> Credential {
        guard let world = request.settings.fakeWorld else {
            throw AuthError(
                .authNotSupportedProvider,
                message: "\(provider) has no page, and this game no library for it on this system.")
        }
        let name = player?() ?? request.additionalInfo[Self.playerKey]?.stringValue ?? "alice"
        let answer = try await request.send(
            TransportRequest(
                method: "POST", url: world.appendingPathComponent("world/sign-in"),
                headers: ["Content-Type": "application/json"],
                body: try JSONEncoder().encode(["provider": provider.rawValue, "player": name]), timeoutSeconds: 10))
        guard answer.status == 200 else {
            throw AdapterError.failed(code: answer.status, message: "The fake provider answered \(answer.status).")
        }
        return try JSONDecoder().decode(Credential.self, from: answer.body)
    }
}

extension ProviderSettings {
    /// The fake world that replaces the provider. Only an address on this machine is accepted.
    var fakeWorld: URL? {
        guard let url = additionalInfo?["fakeWorld"]?.stringValue.flatMap({ URL(string: $0) }),
            url.scheme == "http", url.host == "127.0.0.1"
        else { return nil }
        return url
    }

    var isFake: Bool { fakeWorld != nil }
}
