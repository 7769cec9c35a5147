import Foundation
import Gatehouse
import GatehouseWire

extension TCGBGamebase {
    /// Withdraws the member at once, whether or not a withdrawal is pending. It can't be undone.
    #if canImport(ObjectiveC)
    @objc(withdrawWithViewController:completion:)
    #endif
    public static func withdraw(viewController: UIViewController?, completion: WithdrawCompletion?) {
        Bridge<Empty>(completion).call { (gatehouse) async throws(AuthError) -> Void in
            try await client.events.expecting(.withdrawn) { () async throws(AuthError) in
                try await gatehouse.withdraw()
            }
            client.forgetBan()
        }
    }

    public static func withdraw(with viewController: UIViewController?, completion: WithdrawCompletion?) {
        withdraw(viewController: viewController, completion: completion)
    }

    /// The same as ``withdraw(viewController:completion:)``.
    #if canImport(ObjectiveC)
    @objc(withdrawImmediatelyWithViewController:completion:)
    #endif
    public static func withdrawImmediately(viewController: UIViewController?, completion: WithdrawCompletion?) {
        withdraw(viewController: viewController, completion: completion)
    }

    public static func withdrawImmediately(with viewController: UIViewController?, completion: WithdrawCompletion?) {
        withdraw(viewController: viewController, completion: completion)
    }

    /// Begins the grace period, after which the member is withdrawn automatically. It completes with 3602 when one is already pending.
    #if canImport(ObjectiveC)
    @objc(requestTemporaryWithdrawalWithViewController:completion:)
    #endif
    public static func requestTemporaryWithdrawal(
        viewController: UIViewController?, completion: TemporaryWithdrawCompletion?
    ) {
        Bridge(completion).call { (gatehouse) async throws(AuthError) in
            guard let info = TCGBMember(try await gatehouse.requestWithdrawal()).temporaryWithdrawal else {
                throw AuthError(.serverInvalidResponse)
            }
            return info
        }
    }

    public static func requestTemporaryWithdrawal(
        with viewController: UIViewController?, completion: TemporaryWithdrawCompletion?
    ) { requestTemporaryWithdrawal(viewController: viewController, completion: completion) }

    /// Ends the grace period. It completes with 3603 when none is pending.
    #if canImport(ObjectiveC)
    @objc(cancelTemporaryWithdrawalWithViewController:completion:)
    #endif
    public static func cancelTemporaryWithdrawal(viewController: UIViewController?, completion: WithdrawCompletion?) {
        Bridge<Empty>(completion).call { (gatehouse) async throws(AuthError) -> Void in
            try await gatehouse.cancelWithdrawal()
        }
    }

    public static func cancelTemporaryWithdrawal(
        with viewController: UIViewController?, completion: WithdrawCompletion?
    ) { cancelTemporaryWithdrawal(viewController: viewController, completion: completion) }
}
