/// The list of operators' actions that describe themselves. What stands here is in the console.
package enum OperatorActions {
    package static let all: [any OperatorAction.Type] = [
        BanMember.self, ReleaseBan.self, ChangeBan.self, BanListedMembers.self, ReleaseListedBans.self,
        AddMemberNote.self, EditMemberNote.self, PinMemberNote.self, WithdrawMember.self,
        CancelMemberWithdrawal.self, ReleaseGraceBan.self,
        KickOutMember.self, SecureMember.self, EndMemberSession.self, RestoreMember.self, RemoveMemberMapping.self,
        MoveMemberMapping.self,
        UnblockTransferAccount.self, ReissueTransferAccount.self, VoidTransferAccount.self, BeginGraceBan.self,
        RecordPayment.self,
        RotateSigningKey.self, ReplaceSigningKeys.self, CreateSecret.self, RevokeSecret.self, RevokeOldSecrets.self,
        RetryJob.self, RetryFailedJobs.self, GiveUpJob.self, EnableIdentityProvider.self, DisableIdentityProvider.self,
        RenameApp.self, SetStatus.self, TerminateService.self, KickOutEveryone.self, SetAccountPolicy.self,
        SetLimits.self,
        SetTransferPolicy.self,
        PlanMaintenance.self, ChangeMaintenance.self, EndMaintenance.self,
        AddTestDevice.self, RemoveTestDevice.self, AddBanTemplate.self, ChangeBanTemplate.self,
        ArchiveBanTemplate.self, RestoreBanTemplate.self, AddClientRule.self, ChangeClientRule.self,
        RemoveClientRule.self, MoveClientRule.self, AddReply.self, ChangeReply.self, RemoveReply.self,
        AddAlertReceiver.self, ChangeAlertReceiver.self, RemoveAlertReceiver.self, TestAlertReceiver.self,
    ]

    /// The names in the audit of what only the command does: to an app, and to the server.
    package static let namesOfCommand = (
        app: [
            AppEvent.importBegun, .importUndone, .legacySourceSet, .legacySourceClosed, .membersExported,
        ].map(\.rawValue) + [EventName.legacyReleased.rawValue],
        server: ["master-key.changed", "master-key.replaced"]
    )
}
