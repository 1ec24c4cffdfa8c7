export async function sync(warehouses) {
  for (const warehouse of warehouses) {
    await fetch(`https://${warehouse}.example.com/stock`);
  }
}
