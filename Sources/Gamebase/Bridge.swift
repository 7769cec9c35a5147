import Foundation
import Gatehouse
import GatehouseWire

/// Connects Gamebase's completions to the SDK's calls: a completion is called exactly once, on the main thread, whether the call
/// succeeds or fails.
struct Bridge<Value: Sendable>: Sendable {
    /// The game's own closure, which is called exactly once.
    private let completion: Unchecked<((Value?, TCGBError?) -> Void)?>

    init(_ completion: ((Value?, TCGBError?) -> Void)?) {
        self.completion = Unchecked(completion)
    }

    /// Makes a call. It returns at once.
    func call(_ body: @escaping @Sendable (GatehouseClient) async throws(AuthError) -> Value) {
        guard let gatehouse = GamebaseClient.shared.gatehouse else {
            return refuse(AuthError(.notInitialized))
        }
        Task {
            do throws(AuthError) {
                let value = try await body(gatehouse)
                GamebaseClient.shared.noteSuccess()
                await complete(value, nil)
            } catch {
                await fail(error)
            }
        }
    }

    /// Completes with an error without a call.
    func refuse(_ error: AuthError) {
        Task { await fail(error) }
    }

    private func fail(_ error: AuthError) async {
        let error = TCGBError(error, appID: GamebaseClient.shared.appID)
        GamebaseClient.shared.note(error)
        await complete(nil, error)
    }

    @MainActor private func complete(_ value: Value?, _ error: TCGBError?) {
        completion.value?(value, error)
    }
}

extension Bridge where Value == Empty {
    /// Makes a bridge for a completion that takes only an error.
    init(_ completion: ((TCGBError?) -> Void)?) {
        self.init(completion.map { completion in { _, error in completion(error) } })
    }

    func call(_ body: @escaping @Sendable (GatehouseClient) async throws(AuthError) -> Void) {
        call { (gatehouse) async throws(AuthError) in
            try await body(gatehouse)
            return Empty()
        }
    }
}
