import GatehouseSecurity
package import GatehouseWire

/// Issues a transfer key for the caller, a guest.
package struct IssueTransferKey: PlayerChange {
    let request: TransferKeyRequest

    package init(request: TransferKeyRequest) {
        self.request = request
    }

    package func perform(_ work: Work) async throws -> TransferKey {
        try await work.decideForPlayer { _, account, change, tx in
            try TransferKeyRules.issue(validSeconds: request.validSeconds, for: account, change, in: tx)
        }
    }
}

/// Moves the guest of a transfer key to the caller's device, and logs it in there.
package struct RedeemTransferKey: PlayerChange {
    let redemption: TransferKeyRedemption

    package init(redemption: TransferKeyRedemption) {
        let typed = TransferLetters.typed(redemption.transferKey.secretValue)
        self.redemption = TransferKeyRedemption(transferKey: TransferKeySecret(typed))
    }

    package func perform(_ work: Work) async throws -> Login {
        try work.admit(.transfers)
        let device = try work.device()
        let result = try await work.transactOnce { (known: Redemption, tx) in
            try known.repeated(on: device, in: tx) ?? known
        } _: { change, tx in
            try TransferKeyRules.redeem(redemption.transferKey, on: device, change, in: tx)
        }
        return try work.login(try result.outcome())
    }
}
