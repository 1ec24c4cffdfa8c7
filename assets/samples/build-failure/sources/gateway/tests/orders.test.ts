import { get, orders } from "./rig";

// The gateway passes on what the orders service answers; the test starts the newest build of that service first.
test("an order is passed through", async () => {
  const service = await orders.start();
  const answer = await get("/orders/17", { through: "gateway", to: service });
  // Line 54 of the whole file:
  expect(answer.status).toBe(200);
});
