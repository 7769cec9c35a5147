/// The list of operators' actions that describe themselves. What stands here is in the console.
package enum OperatorActions {
    package static let all: [any OperatorAction.Type] = [
        BanMember.self, ReleaseBan.self, ChangeBan.self, BanListedMembers.self, ReleaseListedBans.self,
        AddMemberNote.self, EditMemberNote.self, PinMemberNote.self, WithdrawMember.self,
        CancelMemberWithdrawal.self, ReleaseGraceBan.self,
        AddTestDevice.self, RemoveTestDevice.self, AddBanTemplate.self, ChangeBanTemplate.self,
        ArchiveBanTemplate.self, RestoreBanTemplate.self, AddClientRule.self, ChangeClientRule.self,
        RemoveClientRule.self, MoveClientRule.self,
    ]
}
