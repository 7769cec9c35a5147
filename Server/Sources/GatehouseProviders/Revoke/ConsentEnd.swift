/// How an identity ends for which the player has given consent.
package enum ConsentEnd: Sendable, Hashable {
    case withdrawal
    case removal
}
