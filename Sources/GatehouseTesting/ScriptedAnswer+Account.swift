public import GatehouseWire

extension ScriptedAnswer {
    // MARK: Mapping

    /// The identity that the game asks for is the member's now: by a mapping, or by the ticket of a conflict. A guest's own identity ends
    /// with its first mapping.
    public static func mapped() -> ScriptedAnswer {
        ScriptedAnswer("mapped", to: [path(Endpoints.addMapping), path(Endpoints.forceMapping)]) { request, server in
            let provider =
                body(Credential.self, of: request)?.provider ?? body(TicketUse.self, of: request)?.provider ?? .google
            return .answer(
                try response(server.changeMappings { $0.filter { $0 != .guest && $0 != provider } + [provider] }))
        }
    }

    /// The mapping that the game asks to remove is removed.
    public static func unmapped() -> ScriptedAnswer {
        ScriptedAnswer("unmapped", to: [path(Endpoints.removeMapping)]) { request, server in
            let removed = body(MappingRemoval.self, of: request)?.provider
            return .answer(try response(server.changeMappings { $0.filter { $0 != removed } }))
        }
    }

    /// The identity belongs to another member: a mapping is refused with
    /// `ErrorCode.authAddMappingAlreadyMappedToOtherMember` (3302), with a ticket for the player's choice.
    ///
    /// - Parameter user: the other member.
    /// - Parameter providers: the other member's identity providers. Nil is the one that the game has asked for.
    /// - Parameter status: the other member's status.
    /// - Parameter lastLogin: how long ago the other member has logged in.
    /// - Parameter lifetime: how long the ticket can be used.
    public static func conflict(
        with user: UserID = "1M8S4CTH3C9FX6Z9", providers: [Provider]? = nil, status: MemberStatus = .normal,
        lastLogin: Duration = .seconds(86_400), expiresIn lifetime: Duration = .seconds(600)
    ) -> ScriptedAnswer {
        ScriptedAnswer("conflict", to: [path(Endpoints.addMapping)]) { request, server in
            let provider = body(Credential.self, of: request)?.provider ?? .google
            let ticket = ForcingMappingTicket(
                userId: server.member().userId, mappedUserId: user, mappedUserValid: status, provider: provider,
                forcingMappingKey: ForcingMappingKey("scripted-ticket"),
                expirationDate: server.now + lifetime.milliseconds,
                mappedMember: MemberSummary(
                    registrationDate: ScriptedServer.registrationDate,
                    lastLoginDate: server.now - lastLogin.milliseconds, providers: providers ?? [provider]))
            return try refuse(
                .authAddMappingAlreadyMappedToOtherMember,
                details: ErrorDetails(forcingMappingTicket: ticket))
        }
    }

    // MARK: Transfer

    /// A transfer account, when it is issued, queried or renewed. A query brings no password.
    ///
    /// - Parameter id: what the player enters on the new device.
    /// - Parameter password: what the player enters on the new device.
    /// - Parameter lifetime: how long it can be used; nil for one that doesn't expire.
    public static func transferAccount(
        id: String = "A1B2C3D4", password: String = "p4ssw0rd", expiresIn lifetime: Duration? = .seconds(2_592_000)
    ) -> ScriptedAnswer {
        let endpoints: Set = [
            path(Endpoints.issueTransferAccount), path(Endpoints.queryTransferAccount),
            path(Endpoints.renewTransferAccount),
        ]
        return ScriptedAnswer("transferAccount", to: endpoints) { request, server in
            let isQuery = path(request) == path(Endpoints.queryTransferAccount)
            return .answer(
                try response(
                    TransferAccount(
                        id: id, password: isQuery ? nil : TransferPassword(password), issuedType: .automatic,
                        transferAccountType: .once, registrationDate: server.now,
                        expiryDate: lifetime.map { server.now + $0.milliseconds })))
        }
    }

    /// A transfer key is issued.
    ///
    /// - Parameter key: the eight letters that the player enters on the new device.
    public static func transferKey(_ key: String = "ABCDFGHJ") -> ScriptedAnswer {
        ScriptedAnswer("transferKey", to: [path(Endpoints.issueTransferKey)]) { request, server in
            let seconds = body(TransferKeyRequest.self, of: request)?.validSeconds ?? 0
            return .answer(
                try response(
                    TransferKey(
                        transferKey: TransferKeySecret(key), registrationDate: server.now,
                        expiryDate: server.now + 1_000 * seconds)))
        }
    }

    /// After too many wrong passwords a redemption is refused with `ErrorCode.authTransferAccountBlock` (3042).
    ///
    /// - Parameter duration: how long the block lasts.
    /// - Parameter failures: the number of wrong attempts.
    public static func transferBlocked(
        for duration: Duration = .seconds(86_400), failures: Int = 5
    ) -> ScriptedAnswer {
        ScriptedAnswer("transferBlocked", to: [path(Endpoints.redeemTransferAccount)]) { request, server in
            let block = TransferBlock(
                accountId: body(TransferRedemption.self, of: request)?.id ?? "", failCount: failures,
                blockEndDate: server.now + duration.milliseconds, registrationDate: ScriptedServer.registrationDate)
            return try refuse(
                .authTransferAccountBlock, details: ErrorDetails(transferBlock: block))
        }
    }

    // MARK: Withdrawal

    /// The grace period of a withdrawal begins.
    ///
    /// - Parameter gracePeriod: how long the player can still cancel it.
    public static func withdrawalRequested(gracePeriod: Duration = .seconds(604_800)) -> ScriptedAnswer {
        ScriptedAnswer("withdrawalRequested", to: Endpoints.requestWithdrawal) { server in
            let date = server.now + gracePeriod.milliseconds
            return server.memberChange { $0.delete(at: date) }
        }
    }

    /// The withdrawal is cancelled, and the member stays.
    public static func withdrawalCancelled() -> ScriptedAnswer {
        ScriptedAnswer("withdrawalCancelled", to: Endpoints.cancelWithdrawal) { server in
            server.memberChange {
                $0.temporaryWithdrawal = nil
                $0.status = .normal
            }
        }
    }
}
